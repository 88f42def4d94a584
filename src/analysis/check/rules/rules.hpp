// One function for each rule that looks at a launch; each is a file of the rule's name.
#pragma once

#include "analysis/check/rule.hpp"

namespace roofline::rules {

void batched_tokens_too_small(const RuleSubject& subject, RuleFindings& findings);
void context_beyond_model(const RuleSubject& subject, RuleFindings& findings);
void decode_memory_bound(const RuleSubject& subject, RuleFindings& findings);
void dtype_unsupported(const RuleSubject& subject, RuleFindings& findings);
void duplicate_key(const RuleSubject& subject, RuleFindings& findings);
void gpu_count_mismatch(const RuleSubject& subject, RuleFindings& findings);
void ignored_key(const RuleSubject& subject, RuleFindings& findings);
void kv_below_max_num_seqs(const RuleSubject& subject, RuleFindings& findings);
void kv_too_small(const RuleSubject& subject, RuleFindings& findings);
void latent_kv_not_divided(const RuleSubject& subject, RuleFindings& findings);
void not_divisible(const RuleSubject& subject, RuleFindings& findings);
void unknown_key(const RuleSubject& subject, RuleFindings& findings);
void utilization_too_high(const RuleSubject& subject, RuleFindings& findings);
void utilization_too_low(const RuleSubject& subject, RuleFindings& findings);
void weights_too_large(const RuleSubject& subject, RuleFindings& findings);
void yaml_surprise(const RuleSubject& subject, RuleFindings& findings);

}  // namespace roofline::rules
