//! Computes which claims hold and how far they can be trusted. The model port proposes claims and
//! verdicts; code decides.

use std::collections::{BTreeMap, BTreeSet};

use research_agents_fieldwork::told::place_of;
use research_agents_report::assessment::{Assessed, Rating, assess};
use research_agents_report::check::grounded::{Grounded, Says, Stated, check_says};
use research_agents_report::language::Language;
use research_agents_report::passage::Passage;
use research_agents_report::text::Untrusted;
use research_agents_report::trust::hallucination_score;
use research_agents_runtime::ask::UserText;
use research_agents_runtime::event::{ClaimQuote, ClaimStatus, RunEvent};
use research_agents_runtime::job::Job;
use research_agents_runtime::run::NodeJob;
use research_core::{Cx, NodeError};

use crate::agent::kit::{Asked, StudioKit, room, tokens_of};
use crate::agent::state::{StudioState, StudioStateUpdate};
use crate::answers::table::{Agreed, Answer, Standing};
use crate::offline;
use crate::records::TrustedClaim;
use crate::tasks::{
    AnswerView, CLAIMS_PROMPT, ClaimView, ClaimsFound, ClaimsTask, ClaimsVerified, PassageView,
    ProposedClaim, ProposedQuote, SourceView, TRUST_CLAIMS, TRUST_VERIFY, VERIFY_PROMPT,
    VerifyTask,
};

/// Tokens of the list of sources in a prompt, for each passage.
const LISTED: usize = 60;

/// Asks for claims and for verdicts, twice for evidence that the model can hold and twice for each
/// part beyond that, and checks every claim against the passages.
pub(super) async fn trust_engine(
    cx: Cx<StudioState, StudioKit>,
) -> Result<StudioStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    job.phase("verifying");
    job.progress(85, "checking every claim against its sources");

    let mut rating = state.rating.clone();
    let mut claims: Vec<TrustedClaim> = Vec::new();
    for part in parts(&job, state) {
        let drafted = drafted(&job, state, &part).await?;
        lower(&mut rating, &drafted, state);
        let is_new = |text: &str| claims.iter().all(|known| known.text != text);
        let mut stated = located(state, drafted.claims, claims.len(), is_new);
        verified(&job, state, &part, &mut stated).await?;
        claims.extend(judged(state, &rating, stated));
    }

    for claim in &claims {
        job.emit(claim_event(claim, state));
    }
    let unverified = claims.iter().filter(|claim| claim.mark.is_none()).count();
    let update = StudioState::update().rating(rating).ended_by(&job);
    let update = match hallucination_score(unverified, claims.len()) {
        Some(score) => update.hallucination_score(score),
        None => update,
    };
    Ok(cx.done(&job, update.claims(claims)))
}

/// The evidence of one pair of calls.
struct Part {
    evidence: Vec<PassageView>,
    answers: Vec<AnswerView>,
    /// Tokens that a prompt can hold of it.
    room: usize,
}

impl Part {
    /// Returns the evidence that fits into a prompt next to claims, what they cite first.
    fn beside(&self, claims: &[ClaimView]) -> Vec<PassageView> {
        let is_cited = |view: &&PassageView| {
            let mut quotes = claims.iter().flat_map(|claim| &claim.quotes);
            quotes.any(|quote| quote.evidence == view.id)
        };
        let (cited, others): (Vec<_>, Vec<_>) = self.evidence.iter().partition(is_cited);

        let mut used = tokens_of(&claims);
        let fits = |view: &&PassageView| {
            used += tokens_of(view);
            used <= self.room
        };
        cited
            .into_iter()
            .chain(others)
            .take_while(fits)
            .cloned()
            .collect()
    }
}

/// Divides the evidence into parts that the model can hold, each with the answers whose first quote
/// is in it.
fn parts(job: &Job, state: &StudioState) -> Vec<Part> {
    let room = room::<ClaimsFound>(job, "trust", &"evidence");
    let answers = answer_views(state);
    let quoted: Vec<&str> = answers
        .iter()
        .flat_map(|answer| &answer.quotes)
        .map(|quote| quote.evidence.as_str())
        .collect();
    let mut passages: Vec<&Passage> = state.passages.iter().map(|one| &**one).collect();
    // What answers a question comes first.
    passages.sort_by_key(|passage| !quoted.contains(&passage.id.as_str()));

    let (mut parts, mut used): (Vec<Part>, usize) = (Vec::new(), 0);
    for passage in passages {
        let view = view_of(state, passage);
        let own = tokens_of(&view) + LISTED;
        if parts.is_empty() || used + own > room {
            parts.push(Part {
                evidence: Vec::new(),
                answers: Vec::new(),
                room,
            });
            used = 0;
        }
        if let Some(part) = parts.last_mut() {
            part.evidence.push(view);
        }
        used += own;
    }

    for answer in answers {
        let first = answer.quotes.first().map(|quote| quote.evidence.as_str());
        let holds = |part: &&mut Part| {
            let mut ids = part.evidence.iter().map(|view| view.id.as_str());
            ids.any(|id| Some(id) == first)
        };
        if let Some(part) = parts.iter_mut().find(holds) {
            part.answers.push(answer);
        }
    }
    parts
}

fn view_of(state: &StudioState, passage: &Passage) -> PassageView {
    let document = state.passages.document_of(passage);
    let origin = document.map(|document| &document.origin);
    PassageView {
        id: passage.id.clone(),
        site: origin.map(|origin| origin.site.clone()).unwrap_or_default(),
        address: origin
            .map(|origin| origin.address.clone())
            .unwrap_or_default(),
        title: document
            .map(|document| document.title.for_code().clone())
            .unwrap_or_default(),
        headings: passage.found.section.clone(),
        text: passage.text.for_code().clone(),
        score: 0.0,
    }
}

/// Returns the answers that code computed, question by question.
fn answer_views(state: &StudioState) -> Vec<AnswerView> {
    let mut views = Vec::new();
    for question in &state.research_plan.research_questions {
        let quote_of = |answer: &Answer| -> Option<ProposedQuote> {
            let text = state.passages.get(&answer.passage)?.text.for_code();
            Some(ProposedQuote {
                evidence: answer.passage.clone(),
                quote: text.get(answer.quote.clone())?.trim().to_owned(),
            })
        };
        let view = |answers: &[&Answer], is_disputed| AnswerView {
            question: question.id.clone(),
            section: question.section.clone(),
            quotes: answers.iter().filter_map(|one| quote_of(one)).collect(),
            is_disputed,
        };

        match state.standings.get(&question.id) {
            None | Some(Standing::Unanswered) => {}
            Some(Standing::Answered(agreed)) if agreed.value.is_some() => {
                views.push(view(&state.table.answers_of(&question.id, agreed), false));
            }
            // Quotes without a value each say something else.
            Some(Standing::Answered(_)) => {
                let quotes = state.table.answers(&question.id);
                views.extend(quotes.map(|answer| view(&[answer], false)));
            }
            Some(Standing::Conflicting { sides, .. }) => {
                let of_side = sides.iter();
                let of_side = of_side.map(|side| state.table.answers_of(&question.id, side));
                views.extend(of_side.map(|answers| view(&answers, true)));
            }
        }
    }
    views.retain(|view| !view.quotes.is_empty());
    views
}

/// The first call: credibility and claims.
async fn drafted(job: &Job, state: &StudioState, part: &Part) -> Result<ClaimsFound, NodeError> {
    let task = ClaimsTask {
        question: state.full_question().to_owned(),
        outline: state.research_plan.outline.clone(),
        sources: sources_of(state, part),
        evidence: part.evidence.clone(),
        answers: part.answers.clone(),
    };
    let shown = (&task.outline, &task.sources, &task.evidence, &task.answers);
    let asked = Asked::new(&CLAIMS_PROMPT, TRUST_CLAIMS, &task)
        .set("question", UserText::new(&*task.question))
        .fitted("evidence", &shown);
    Ok(asked.or_compute(job, offline::claims).await?)
}

fn sources_of(state: &StudioState, part: &Part) -> Vec<SourceView> {
    let is_in_part = |id: &str| {
        let mut views = part.evidence.iter();
        views.any(|view| {
            let passage = state.passages.get(&view.id);
            passage.is_some_and(|passage| passage.source == id)
        })
    };
    let own = state.passages.documents().filter(|own| is_in_part(&own.id));
    own.map(|document| SourceView {
        sid: document.id.clone(),
        site: document.origin.site.clone(),
        title: document.title.for_code().clone(),
        date: document.origin.date.clone(),
    })
    .collect()
}

/// Takes the credibility that the model port proposes where it is lower than what is known: a page
/// cannot make its own site more credible.
fn lower(rating: &mut Rating, found: &ClaimsFound, state: &StudioState) {
    for proposed in &found.credibility {
        let Some(document) = state.passages.document(&proposed.sid) else {
            continue;
        };
        let known = rating
            .credibility
            .entry(document.origin.site.clone())
            .or_insert(0.5);
        if proposed.credibility.is_finite() {
            *known = known.min(proposed.credibility.clamp(0.0, 1.0));
        }
    }
}

/// A claim whose quotes were located.
struct Drafted {
    cid: String,
    proposed: ProposedClaim,
    stated: Stated,
    is_rejected: bool,
    /// What the second call named.
    further: Vec<Says>,
}

/// Locates the quotes of claims, each claim once. Each quote becomes what its passage says.
fn located(
    state: &StudioState,
    claims: Vec<ProposedClaim>,
    before: usize,
    is_new: impl Fn(&str) -> bool,
) -> Vec<Drafted> {
    let mut seen = BTreeSet::new();
    let mut is_first = |claim: &ProposedClaim| {
        let text = claim.text.trim();
        !text.is_empty() && is_new(text) && seen.insert(text.to_owned())
    };

    claims
        .into_iter()
        .filter(|claim| is_first(claim))
        .enumerate()
        .map(|(at, mut proposed)| {
            for quote in &mut proposed.quotes {
                named(state, quote);
            }
            let says: Vec<Says> = proposed.quotes.iter().map(Says::from).collect();
            Drafted {
                cid: format!("c{}", before + at + 1),
                stated: check_says(
                    &proposed.text,
                    language_of(state, &proposed),
                    &says,
                    &state.passages,
                ),
                proposed,
                is_rejected: false,
                further: Vec::new(),
            }
        })
        .collect()
}

/// Names the passage of a quote if the id is unknown: models write the text of a passage where its
/// id belongs.
fn named(state: &StudioState, quote: &mut ProposedQuote) {
    let words = quote.quote.trim();
    if words.is_empty() || state.passages.get(&quote.evidence).is_some() {
        return;
    }
    let mut passages = state.passages.iter();
    if let Some(own) = passages.find(|passage| passage.text.for_code().contains(words)) {
        quote.evidence.clone_from(&own.id);
    }
}

fn language_of(state: &StudioState, claim: &ProposedClaim) -> Language {
    let first = claim.quotes.first();
    let passage = first.and_then(|quote| state.passages.get(&quote.evidence));
    let document = passage.and_then(|passage| state.passages.document_of(passage));
    document
        .map(|document| document.language)
        .unwrap_or_default()
}

/// The second call: verdicts, which may withhold a claim or name further quotes.
async fn verified(
    job: &Job,
    state: &StudioState,
    part: &Part,
    drafted: &mut [Drafted],
) -> Result<(), NodeError> {
    let claims = drafted.iter().map(|one| ClaimView {
        cid: one.cid.clone(),
        text: one.stated.text.clone(),
        quotes: one.proposed.quotes.clone(),
    });
    let claims: Vec<ClaimView> = claims.collect();
    let task = VerifyTask {
        evidence: part.beside(&claims),
        claims,
    };
    let asked = Asked::new(&VERIFY_PROMPT, TRUST_VERIFY, &task).fitted("claims", &task);
    let found: ClaimsVerified = asked.or_compute(job, |_| ClaimsVerified::default()).await?;

    for verdict in &found.verdicts {
        if let Some(one) = drafted.iter_mut().find(|one| one.cid == verdict.cid) {
            one.is_rejected |= !verdict.is_supported;
            let mut further = verdict.quotes.clone();
            further.iter_mut().for_each(|quote| named(state, quote));
            one.further.extend(further.iter().map(Says::from));
        }
    }
    Ok(())
}

/// Decides which claims hold, and computes their marks.
fn judged(state: &StudioState, rating: &Rating, drafted: Vec<Drafted>) -> Vec<TrustedClaim> {
    let judge = |one: Drafted| {
        let language = language_of(state, &one.proposed);
        let mut stated = one.stated;
        for says in one.further {
            // A further quote must carry the claim by itself.
            let own = check_says(&stated.text, language, &[says], &state.passages);
            if own.grounding.verdict == Grounded::Holds {
                stated.says.extend(own.says);
            }
        }

        let assessment = assess(
            std::slice::from_ref(&stated),
            language,
            &state.passages,
            rating,
        );
        let assessed = assessment.claims.into_iter().next();
        let assessed = assessed.filter(|_| !one.is_rejected);
        trusted(state, rating, one.cid, one.proposed, stated, assessed)
    };
    drafted.into_iter().map(judge).collect()
}

fn trusted(
    state: &StudioState,
    rating: &Rating,
    cid: String,
    proposed: ProposedClaim,
    stated: Stated,
    assessed: Option<Assessed>,
) -> TrustedClaim {
    let mark = assessed.as_ref().and_then(|assessed| assessed.mark);
    let mut claim = TrustedClaim {
        cid,
        text: stated.text,
        section: proposed.section,
        question: proposed.question,
        quotes: stated.says,
        mark,
        confidence: assessed.map_or(0.0, |assessed| assessed.confidence),
    };

    // Sources that state the same value in other words agree, although none carries the sentence of
    // another.
    if claim.mark.is_some()
        && let Some(agreed) = agreed_by(state, rating, &claim)
    {
        claim.mark = claim.mark.max(Some(agreed.mark));
        claim.confidence = claim.confidence.max(agreed.confidence);
    }
    claim
}

/// Returns what sources agree on, if a claim consists of their quotes alone.
fn agreed_by(state: &StudioState, rating: &Rating, claim: &TrustedClaim) -> Option<Agreed> {
    let question = claim.question.as_ref()?;
    let standing = state.table.standing(question, &state.passages, rating);
    let Standing::Answered(agreed) = standing else {
        return None;
    };
    let answers: BTreeMap<&str, &str> = state
        .table
        .answers_of(question, &agreed)
        .into_iter()
        .filter_map(|answer| {
            let text = state.passages.get(&answer.passage)?.text.for_code();
            Some((
                answer.passage.as_str(),
                text.get(answer.quote.clone())?.trim(),
            ))
        })
        .collect();

    let is_answer = |says: &Says| {
        agreed.passages.contains(&says.passage)
            && answers.get(says.passage.as_str()) == Some(&says.quote.trim())
    };
    let is_all = !claim.quotes.is_empty() && claim.quotes.iter().all(is_answer);
    let has_all = agreed.passages.iter().all(|id| {
        let mut quotes = claim.quotes.iter();
        quotes.any(|says| says.passage == *id)
    });
    (agreed.value.is_some() && is_all && has_all).then_some(agreed)
}

fn claim_event(claim: &TrustedClaim, state: &StudioState) -> RunEvent {
    let status = if claim.mark.is_some() {
        ClaimStatus::Verified
    } else {
        ClaimStatus::Withheld
    };
    let quotes = claim.quotes.iter().map(|says| ClaimQuote {
        source: says.passage.clone(),
        text: Untrusted::new(says.quote.clone()),
    });
    let place = |says: &Says| place_of(says, &state.passages);

    RunEvent::Claim {
        cid: claim.cid.clone(),
        text: claim.text.clone(),
        status,
        mark: claim.mark.map(|mark| mark.to_string()).unwrap_or_default(),
        claims: Vec::new(),
        quotes: quotes.collect(),
        sources: claim.quotes.iter().filter_map(place).collect(),
    }
}
