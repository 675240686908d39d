//! The estimate of tokens against the tokenizers of OpenAI's models.
#![cfg(feature = "tokenizer")]

use proptest::prelude::*;
use research_llm::tokens::{TiktokenCounter, TokenCounter, estimate};

/// Prose, with the name of its language.
const PROSE: &[(&str, &str)] = &[
    (
        "English",
        "The committee found that most of the delays were not caused by the weather, as had been reported in March, but \
         by a shortage of trained staff. \"We hired too late,\" said one of the managers, who asked not to be named. \
         Between 2019 and 2023 the number of passengers rose by 14.5 percent; the number of drivers fell.",
    ),
    (
        "academic English",
        "Phosphorylation-dependent ubiquitination of transcriptional coactivators modulates chromatin accessibility \
         (Nguyen et al., 2021). We hypothesised that hyperphosphorylated isoforms would be preferentially \
         polyubiquitinated in hepatocellular carcinoma cell lines, and tested this using immunoprecipitation.",
    ),
    (
        "German",
        "Das Bundesverfassungsgericht hat am Donnerstag entschieden, dass die Übergangsregelungen für \
         Straßenbahnbetreiber größtenteils unzulässig sind. Die Rechtsschutzversicherungsgesellschaften kündigten an, \
         ihre Beitragsbemessungsgrundlagen zu überprüfen. Für die Fahrgäste ändert sich vorerst nichts.",
    ),
    (
        "French",
        "L'Assemblée nationale a adopté, après de longs débats, le projet de loi relatif à l'accélération des énergies \
         renouvelables. Certains députés s'étaient opposés à l'article 3, qu'ils jugeaient contraire à la \
         Constitution ; d'autres y voyaient déjà une avancée considérable.",
    ),
    (
        "Spanish",
        "Según el informe publicado ayer, la contaminación del agua subterránea aumentó en todas las regiones españolas \
         salvo en Galicia. ¿Qué medidas tomará el Gobierno? Aún no está claro, aunque varias organizaciones ya exigen \
         inversiones más ambiciosas.",
    ),
    (
        "Finnish",
        "Yhdenvertaisuusvaltuutettu katsoi, ettei viranomainen ollut toiminut lainvastaisesti, vaikka käsittelyajat \
         olivat venyneet kohtuuttoman pitkiksi. Työmarkkinajärjestöjen neuvottelutulos hyväksyttiin äänestyksessä.",
    ),
    (
        "Hungarian",
        "Az önkormányzatok többségében továbbra sem működnek megfelelően az egészségügyi szolgáltatások, közölte a \
         szóvivő, aki a megszentségteleníthetetlen emlékhelyek felújítását sürgette.",
    ),
    (
        "Polish",
        "Przedsiębiorstwa żeglugi śródlądowej ostrzegają, że niski poziom wód uniemożliwi przewożenie węgla. \
         Rzeczniczka ministerstwa stwierdziła, że rząd przygotowuje odpowiednie rozporządzenie.",
    ),
    (
        "Turkish",
        "Araştırmacılar, gençlerin çoğunluğunun haberleri artık televizyondan değil, sosyal medyadan öğrendiğini \
         söylüyor. Değerlendirilemeyebileceklerinden endişe duyulan veriler şimdilik açıklanmadı.",
    ),
    (
        "Vietnamese",
        "Theo báo cáo mới nhất, sản lượng lúa gạo của Đồng bằng sông Cửu Long đã giảm đáng kể do hạn hán và xâm nhập \
         mặn. Các nhà khoa học khuyến nghị nông dân chuyển sang những giống cây trồng chịu mặn tốt hơn.",
    ),
    (
        "Russian",
        "Исследователи установили, что большинство опрошенных не доверяет официальной статистике. По словам \
         руководителя проекта, результаты оказались неожиданными: ещё пять лет назад картина была противоположной.",
    ),
    (
        "Ukrainian",
        "Дослідники встановили, що більшість опитаних не довіряє офіційній статистиці, хоча ще п'ять років тому \
         картина була цілком протилежною.",
    ),
    (
        "Greek",
        "Οι ερευνητές διαπίστωσαν ότι η πλειονότητα των ερωτηθέντων δεν εμπιστεύεται τις επίσημες στατιστικές, παρά \
         τις μεταρρυθμίσεις των τελευταίων ετών.",
    ),
    (
        "Arabic",
        "أظهرت الدراسة أن معظم المشاركين لا يثقون في الإحصاءات الرسمية، على الرغم من الإصلاحات التي أُجريت في السنوات \
         الأخيرة.",
    ),
    ("Hebrew", "החוקרים מצאו כי רוב הנשאלים אינם סומכים על הסטטיסטיקה הרשמית, למרות הרפורמות שנערכו בשנים האחרונות."),
    (
        "Hindi",
        "शोधकर्ताओं ने पाया कि अधिकांश उत्तरदाता आधिकारिक आँकड़ों पर भरोसा नहीं करते, हालाँकि हाल के वर्षों में कई सुधार किए गए हैं।",
    ),
    ("Thai", "นักวิจัยพบว่าผู้ตอบแบบสอบถามส่วนใหญ่ไม่ไว้วางใจสถิติของทางการ แม้ว่าจะมีการปฏิรูปในช่วงไม่กี่ปีที่ผ่านมา"),
    (
        "Chinese",
        "研究人员发现，大多数受访者并不信任官方统计数据。项目负责人表示，这一结果出乎意料：五年前的情况恰恰相反。目前尚不清楚政府将采取何种措施。",
    ),
    (
        "traditional Chinese",
        "研究團隊發現，多數受訪者並不信任官方統計數據。計畫主持人表示，這項結果令人意外：五年前的情況恰好相反。",
    ),
    (
        "Japanese",
        "研究チームは、回答者の大半が公式統計を信頼していないことを明らかにした。責任者によると、この結果は予想外だったという。",
    ),
    (
        "Korean",
        "연구진은 응답자 대다수가 공식 통계를 신뢰하지 않는다는 사실을 밝혀냈다. 책임자는 이 결과가 예상 밖이었다고 말했다.",
    ),
];

/// Text that programs write or read.
const OTHER: &[(&str, &str)] = &[
    ("Rust", include_str!("../src/tokens/estimate.rs")),
    ("TOML", include_str!("../Cargo.toml")),
    (
        "JSON",
        r#"{"id": 4711, "title": "Annual report", "tags": ["a", "b"], "score": 0.9375, "nested": {"x": null, "y": [1, 2]},
        "url": "https://example.com/path?id=12345&lang=en", "created": "2026-11-20T07:00:00.123Z"}"#,
    ),
    (
        "compact JSON",
        r#"[{"a":1,"b":[true,false,null],"c":{"d":"e"}},{"a":-2.5e10,"b":[],"c":{}},{"\u00e4":"\n\t\"q\""}]"#,
    ),
    (
        "Python",
        "def fetch_all(urls: list[str], *, timeout: float = 10.0) -> dict[str, bytes]:\n    \"\"\"Fetch.\"\"\"\n    results = \
         {}\n    for i, url in enumerate(urls):\n        if not url.startswith(('http://', 'https://')):\n            \
         raise ValueError(f'bad url #{i}: {url!r}')\n        results[url] = get(url, timeout=timeout).content\n",
    ),
    (
        "C++",
        "template <typename T, std::size_t N>\nconstexpr auto sum(const std::array<T, N>& xs) noexcept -> T {\n\treturn \
         std::accumulate(xs.begin(), xs.end(), T{0}); // O(N)\n}\n#define MAX_BUFFER_SIZE (1u << 16)\n",
    ),
    (
        "SQL",
        "SELECT COUNT(*) AS n, DATE_TRUNC('month', t.created_at) FROM public.tickets t LEFT JOIN users u ON u.id = \
         t.user_id WHERE t.status IN ('OPEN','WAITING') GROUP BY 2 HAVING COUNT(*) > 10;",
    ),
    (
        "HTML",
        "<div class=\"card mb-4\"><a href=\"/wiki/Main_Page#top\" title=\"Main&nbsp;Page\"><img \
         src=\"data:image/png;base64,iVBORw0KGgo=\"/></a></div>",
    ),
    (
        "LaTeX",
        r"\begin{equation}\label{eq:1} \hat{\theta}_{n} = \arg\max_{\theta\in\Theta} \frac{1}{n}\sum_{i=1}^{n} \log f(x_i;\theta)\end{equation}",
    ),
    ("Markdown table", "| id | name | share |\n|---:|:-----|------:|\n| 1 | Alpha | 12.5 % |\n| 2 | Beta | 7.25 % |\n"),
    (
        "CSV",
        "id,date,amount,currency\n1,2024-01-31,1234.50,EUR\n2,2024-02-29,-17.00,USD\n3,2024-03-31,1000000.00,JPY\n",
    ),
    (
        "log",
        "2026-11-20T07:00:00.123456Z  WARN worker{id=7}: retry 3/5 after 250ms: connect ECONNREFUSED 10.0.0.12:5432\n",
    ),
    (
        "base 64",
        "dGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZyBhbmQgcnVucyBhd2F5IGZyb20gdGhlIGJpZyBiYWQgd29sZg==",
    ),
    ("hashes", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 550e8400-e29b-41d4-a716-446655440000"),
    ("DNA", "ATGGCGTACGTTAGCCTAGGATCCGATTACAGGCTTAACGGATCGATCGGGCTATATCGCGAATTCCGATAGCTAGCTAACG"),
    ("protein", "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVVHSLAKWKRQTLG"),
    ("emoji", "Great 🎉🎉 thanks 👩‍👩‍👧‍👦 see you 🏳️‍🌈 ok 👍🏽 🇦🇹 ☕️ ✅ → done ✨"),
    ("capitals", "THE INTERNATIONAL ATOMIC ENERGY AGENCY HEREINAFTER REFERRED TO AS THE AGENCY SHALL NOT BE LIABLE"),
    ("digits", "3.14159265358979323846 2024 1000000 42 007 +43 664 1234567"),
    ("layout", "a\n\n\n\n        b\n\t\t\tc          d   \r\n\r\n  - e\n      - f\n"),
    ("rules", "=====================\n---------------------\n*********************\n. . . . . . . . . . .\n"),
    ("punctuation", "!@#$%^&*()_+-={}[]|\\:\";'<>?,./~` «»„“”‚‘’–—…•°§±×÷€£¥"),
    ("mathematics", "∀x∈ℝ: ∑ᵢ aᵢ² ≥ 0 ⇒ ‖a‖₂ ≤ √n·max|aᵢ|, ∂f/∂x ≈ ∇f, α≠β"),
];

fn counters() -> [TiktokenCounter; 2] {
    ["gpt-4", "gpt-4o"].map(TiktokenCounter::for_model)
}

/// The larger count of the two tokenizers.
fn count(text: &str) -> u64 {
    counters().iter().map(|counter| counter.count(text)).max().unwrap_or_default()
}

#[test]
fn the_estimate_is_never_below_and_for_prose_not_far_above() {
    let mut wrong = Vec::new();
    let texts = PROSE.iter().map(|text| (text, true)).chain(OTHER.iter().map(|text| (text, false)));
    for ((kind, text), is_prose) in texts {
        let (guess, count) = (estimate(text), count(text));
        if guess < count || (is_prose && guess as f64 > 2.5 * count as f64) {
            wrong.push(format!("{kind}: counted {count}, estimated {guess}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn encoded_bytes_are_never_below(bytes in proptest::collection::vec(any::<u8>(), 60..600)) {
        use base64::Engine as _;
        let base = base64::engine::general_purpose::STANDARD.encode(&bytes);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        for text in [&base, &hex] {
            let (guess, count) = (estimate(text), count(text));
            prop_assert!(guess >= count, "counted {}, estimated {}: {}", count, guess, text);
        }
    }
}
