//! Which model serves which tier.

use research_llm::layer::TierRouter;
use research_llm::testing::ScriptedModel;
use research_llm::{ChatModel, ModelInfo, ModelKind, Request, Tier, collect};

fn model(tier: Tier) -> ScriptedModel {
    let name = format!("{tier:?}").to_lowercase();
    ScriptedModel::named(ModelInfo::new("demo", &name, ModelKind::Scripted)).then(name.clone()).then(name)
}

fn router(tiers: &[Tier]) -> TierRouter {
    let first = TierRouter::new(tiers[0], model(tiers[0]));
    tiers[1..].iter().fold(first, |router, &tier| router.tier(tier, model(tier)))
}

#[test]
fn every_tier_finds_its_model() {
    use Tier::{Max, Plus, Turbo};
    let all: &[Tier] = &[Plus, Turbo, Max];
    for (tiers, max_enabled, wanted, served) in [
        (all, true, None, Plus),
        (all, true, Some(Turbo), Turbo),
        (all, true, Some(Max), Max),
        // The downgrade rule.
        (all, false, Some(Max), Plus),
        (&[Plus, Turbo], true, Some(Max), Plus),
        (&[Turbo, Max], false, Some(Max), Turbo),
        // A missing tier: the next cheaper one, else the next dearer one.
        (&[Turbo, Max], true, None, Turbo),
        (&[Turbo], true, Some(Max), Turbo),
        (&[Max, Plus], true, Some(Turbo), Plus),
        (&[Max], true, Some(Turbo), Max),
        // Only when there is no other.
        (&[Max], false, Some(Turbo), Max),
    ] {
        let router = router(tiers).max_enabled(max_enabled);
        let mut request = Request::new();
        request.tier = wanted;
        let (tier, info) = router.route(&request);
        assert_eq!(tier, served, "{tiers:?}, enabled {max_enabled}, wanted {wanted:?}");
        assert_eq!(info.name, format!("{served:?}").to_lowercase());
    }
}

#[tokio::test]
async fn the_answer_says_which_tier_served_it() {
    let router = router(&[Tier::Plus, Tier::Turbo, Tier::Max]);
    let request = Request::new().user("Hello!").tier(Tier::Max);
    let whole = router.complete(&request).await.unwrap();
    let streamed = collect("m", router.stream(request)).await.unwrap();
    for answer in [whole, streamed] {
        assert_eq!((answer.text.as_str(), &answer.metadata["tier"]), ("plus", &"plus".into()));
    }
}

#[test]
fn a_model_that_is_set_again_replaces_the_one_before() {
    let other = ScriptedModel::named(ModelInfo::new("demo", "other", ModelKind::Scripted));
    let router = router(&[Tier::Plus, Tier::Turbo]).tier(Tier::Plus, other);
    assert_eq!(router.info().name, "other");
    assert_eq!(router.route(&Request::new().tier(Tier::Turbo)).1.name, "turbo");
}
