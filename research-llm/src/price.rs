//! What tokens cost.
