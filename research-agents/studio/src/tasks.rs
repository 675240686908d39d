//! The tasks that nodes ask the model port, with their prompts.
//!
//! A language model reads the prompt; a program that computes its answers reads the input. Both
//! give the same type, and code checks what they give.

use research_agents_report::check::grounded::Says;
use research_agents_runtime::tasks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[cfg(doc)]
use crate::records::ResearchPlan;
use crate::records::{QueryAnalysis, ScoutHit};

tasks! {
    /// Finds what a question asks for. Input: [`AnalyzeTask`]; answer: [`QueryAnalysis`].
    ANALYZE ANALYZE_PROMPT = "studio.analyze" 1 "../prompts/analyze.v1.md",
    /// Plans the research. Input: [`PlanTask`]; answer: [`ResearchPlan`].
    PLAN PLAN_PROMPT = "studio.plan" 1 "../prompts/plan.v1.md",
    /// Finds what answers a question in passages. Input: [`ExtractTask`]; answer: [`Extraction`].
    EXTRACT EXTRACT_PROMPT = "studio.extract" 2 "../prompts/extract.v2.md",
    /// Looks for gaps. Input: [`GapsTask`]; answer: [`GapsFound`].
    GAPS GAPS_PROMPT = "studio.gaps" 1 "../prompts/gaps.v1.md",
    /// Rates sources and drafts claims. Input: [`ClaimsTask`]; answer: [`ClaimsFound`].
    TRUST_CLAIMS CLAIMS_PROMPT = "studio.trust_claims" 1 "../prompts/trust_claims.v1.md",
    /// Verifies claims. Input: [`VerifyTask`]; answer: [`ClaimsVerified`].
    TRUST_VERIFY VERIFY_PROMPT = "studio.trust_verify" 1 "../prompts/trust_verify.v1.md",
    /// Drafts the report. Input: [`WriteTask`]; answer: [`Draft`].
    WRITE WRITE_PROMPT = "studio.write" 1 "../prompts/write.v1.md",
}

/// A question that is analyzed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AnalyzeTask {
    /// The user's question.
    pub question: String,
    /// What the user replied when asked what is meant.
    pub clarification: Option<String>,
    /// The questions before it on the thread, the oldest first.
    pub earlier: Vec<String>,
    /// What a first look at the sources found.
    pub hits: Vec<ScoutHit>,
}

/// A question whose research is planned.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PlanTask {
    /// The question, with what the user added.
    pub question: String,
    /// What it asks for.
    pub analysis: QueryAnalysis,
    /// What a first look at the sources found.
    pub hits: Vec<ScoutHit>,
    /// Maximum number of questions.
    pub max_questions: usize,
}

/// Maximum number of documents of each source in a prompt, and of headings of each document.
const MOST_SCOUTED: usize = 8;
const MOST_HEADINGS: usize = 8;

/// A document that the first look found, as prompts show it.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Scouted<'h> {
    source: &'h str,
    title: &'h str,
    /// The headings under which passages were found, the best one first.
    headings: Vec<&'h str>,
}

/// Returns the documents of the first look, the best ones of each source.
pub(crate) fn scouted(hits: &[ScoutHit]) -> Vec<Scouted<'_>> {
    let mut documents: Vec<Scouted<'_>> = Vec::new();
    for hit in hits {
        let (source, title) = (hit.source.as_str(), hit.title.as_str());
        let of_source = documents.iter().filter(|one| one.source == source).count();
        let is_known = |one: &Scouted<'_>| (one.source, one.title) == (source, title);
        let heading = hit.headings.last().map(String::as_str);

        if let Some(document) = documents.iter_mut().find(|one| is_known(one)) {
            let headings = &mut document.headings;
            if headings.len() < MOST_HEADINGS {
                headings.extend(heading.filter(|heading| !headings.contains(heading)));
            }
        } else if of_source < MOST_SCOUTED {
            documents.push(Scouted {
                source,
                title,
                headings: heading.into_iter().collect(),
            });
        }
    }
    documents
}

/// A passage as tasks see it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PassageView {
    /// Its id.
    pub id: String,
    /// Site of its document.
    pub site: String,
    /// Address of its document.
    pub address: String,
    /// Title of its document.
    pub title: String,
    /// Headings above it, the outermost first.
    pub headings: Vec<String>,
    /// Its text.
    pub text: String,
    /// Score that the search gave it, comparable within one site. It is for code: prompts are
    /// without it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub score: f32,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(score: &f32) -> bool {
    *score == 0.0
}

impl PassageView {
    /// Returns it as prompts show it.
    pub(crate) fn shown(&self) -> Self {
        Self {
            score: 0.0,
            ..self.clone()
        }
    }
}

/// Passages in which the answer to a question is sought.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ExtractTask {
    /// The question.
    pub question: String,
    /// Section of the outline that the answer belongs to.
    pub section: String,
    /// The sections of the outline.
    pub outline: Vec<String>,
    /// The passages.
    pub passages: Vec<PassageView>,
    /// The sentences of the passages that share most with the question, the best one first. Only a
    /// language model is given them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<NearSentence>,
}

/// A sentence that shares words with a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearSentence {
    /// Id of its passage.
    pub passage: String,
    /// The sentence.
    pub quote: String,
}

/// What answers a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Extraction {
    /// The quotes that answer it.
    #[schemars(length(max = 16))]
    pub answers: Vec<ProposedAnswer>,
    /// Queries that may find more, if the passages do not answer it.
    #[schemars(length(max = 2))]
    pub queries: Vec<String>,
}

/// A quote that answers a question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["passage", "quote"]))]
pub struct ProposedAnswer {
    /// Id of the passage.
    pub passage: String,
    /// One sentence of the passage, word for word.
    pub quote: String,
    /// The value in the quote that is the answer: a number with its unit, a date or a version, as
    /// written there.
    pub value: Option<String>,
    /// Section of the outline that it belongs to, if not that of the question.
    pub section: Option<String>,
}

/// The state of a round, in which gaps are sought.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GapsTask {
    /// The round, counted from 1.
    pub round: u32,
    /// The sections of the outline.
    pub sections: Vec<SectionView>,
    /// The questions.
    pub questions: Vec<QuestionView>,
}

/// A section as the gap detector sees it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SectionView {
    /// Its heading.
    pub section: String,
    /// Its computed confidence, 0 to 1.
    pub confidence: f64,
    /// Number of its passages.
    pub evidence: usize,
}

/// A question as the gap detector sees it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct QuestionView {
    /// Its id.
    pub id: String,
    /// The question.
    pub question: String,
    /// Its section.
    pub section: String,
    /// `answered`, `conflicting` or `unanswered`.
    pub standing: String,
    /// Its confidence, 0 to 1.
    pub confidence: f64,
    /// Whether it needs more research by what was computed.
    pub is_gap: bool,
    /// Headings of the passages that are nearest to it.
    pub headings: Vec<String>,
}

/// Gaps that were found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GapsFound {
    /// How sure each section is.
    #[schemars(length(max = 32))]
    pub section_confidence: Vec<SectionConfidence>,
    /// What needs more research.
    #[schemars(length(max = 16))]
    pub gaps: Vec<ProposedGap>,
}

/// How sure a section is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SectionConfidence {
    /// Its heading.
    pub section: String,
    /// Its confidence, 0 to 1.
    pub confidence: f64,
}

/// Something that needs more research.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProposedGap {
    /// Section of the outline.
    pub section: String,
    /// Id of the question, if it is about one.
    pub question: Option<String>,
    /// What is missing, one sentence.
    pub description: String,
    /// Queries that may close it, at most two.
    #[schemars(length(max = 2))]
    pub queries: Vec<String>,
}

/// Evidence from which claims are drafted.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ClaimsTask {
    /// The user's question.
    pub question: String,
    /// Sections of the outline.
    pub outline: Vec<String>,
    /// The documents.
    pub sources: Vec<SourceView>,
    /// The passages.
    pub evidence: Vec<PassageView>,
    /// The quotes that answer research questions.
    pub answers: Vec<AnswerView>,
}

/// A document as the trust engine sees it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SourceView {
    /// Its id.
    pub sid: String,
    /// Who publishes it.
    pub site: String,
    /// Its title.
    pub title: String,
    /// Its date.
    pub date: Option<String>,
}

/// The answer to a research question as code computed it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnswerView {
    /// Id of the question.
    pub question: String,
    /// Its section.
    pub section: String,
    /// The quotes that give the same answer, the best one first.
    pub quotes: Vec<ProposedQuote>,
    /// Whether other sources give another answer.
    pub is_disputed: bool,
}

/// What a passage says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["evidence", "quote"]))]
pub struct ProposedQuote {
    /// Id of the passage.
    pub evidence: String,
    /// Its words that carry the claim.
    pub quote: String,
}

impl From<&ProposedQuote> for Says {
    fn from(quote: &ProposedQuote) -> Self {
        Self {
            passage: quote.evidence.clone(),
            quote: quote.quote.clone(),
            start: None,
        }
    }
}

/// Credibility and claims.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ClaimsFound {
    /// How credible sources are. It may lower what the table says, and never raise it.
    pub credibility: Vec<ProposedCredibility>,
    /// The claims.
    pub claims: Vec<ProposedClaim>,
}

/// How credible a source is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProposedCredibility {
    /// Its id.
    pub sid: String,
    /// 0 to 1.
    pub credibility: f64,
}

/// A claim that was drafted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["text", "quotes"]))]
pub struct ProposedClaim {
    /// One sentence.
    pub text: String,
    /// Section of the outline.
    pub section: String,
    /// Id of the research question that it answers, if it answers one.
    pub question: Option<String>,
    /// What carries it.
    #[schemars(length(max = 8))]
    pub quotes: Vec<ProposedQuote>,
}

/// Claims that are verified.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct VerifyTask {
    /// The claims.
    pub claims: Vec<ClaimView>,
    /// The passages.
    pub evidence: Vec<PassageView>,
}

/// A claim as it is verified.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClaimView {
    /// Its id.
    pub cid: String,
    /// The sentence.
    pub text: String,
    /// What carries it.
    pub quotes: Vec<ProposedQuote>,
}

/// The verdicts on claims.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ClaimsVerified {
    /// The verdicts. A claim without one is as code finds it.
    pub verdicts: Vec<ProposedVerdict>,
}

/// The verdict on a claim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProposedVerdict {
    /// Id of the claim.
    pub cid: String,
    /// Whether its quotes carry it. `false` withholds it; `true` alone does not verify it.
    pub is_supported: bool,
    /// Further quotes that carry it.
    pub quotes: Vec<ProposedQuote>,
}

/// Verified claims from which a report is written.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WriteTask {
    /// The user's question.
    pub question: String,
    /// Sections of the outline.
    pub outline: Vec<String>,
    /// The verified claims.
    pub claims: Vec<VerifiedClaim>,
    /// What is missing, in words.
    pub gaps: Vec<String>,
}

/// A verified claim as the writer sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VerifiedClaim {
    /// Its id.
    pub cid: String,
    /// The sentence.
    pub text: String,
    /// Its section.
    pub section: String,
    /// Whether it answers a research question.
    pub is_answer: bool,
    /// Its confidence, 0 to 1.
    pub confidence: f64,
}

/// A drafted report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Draft {
    /// The answer to the user's question.
    pub answer: Vec<DraftSentence>,
    /// The sections.
    pub sections: Vec<DraftSection>,
}

/// A section of a drafted report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DraftSection {
    /// Its heading: one of the outline.
    pub heading: String,
    /// Its sentences.
    pub sentences: Vec<DraftSentence>,
}

/// A sentence of a drafted report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["claims"]))]
pub struct DraftSentence {
    /// The sentence. Empty for the words of its claims.
    pub text: String,
    /// Ids of the claims that it states, at least one.
    pub claims: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_shows_the_best_documents_of_each_source_with_their_headings() {
        let hit = |source: &str, title: usize, headings: &[&str]| ScoutHit {
            source: source.to_owned(),
            title: title.to_string(),
            headings: headings.iter().map(|&heading| heading.to_owned()).collect(),
            score: 1.0,
        };
        let mut hits = vec![
            hit("a", 0, &["Guide", "Size"]),
            hit("a", 0, &["Guide", "Age"]),
            hit("a", 0, &["Size"]),
        ];
        hits.extend((1..20).map(|title| hit("a", title, &[])));
        hits.push(hit("b", 0, &[]));

        let shown = scouted(&hits);
        assert_eq!(shown[0].headings, ["Size", "Age"]);
        let of = |source| shown.iter().filter(|one| one.source == source).count();
        assert_eq!((of("a"), of("b")), (MOST_SCOUTED, 1));
    }
}
