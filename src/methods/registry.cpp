// SPDX-License-Identifier: BSD-3-Clause
// The methods that a deck can name. A new method adds its declaration and its row.
#include <algorithm>
#include <array>

#include "core/check.hpp"
#include "methods/method.hpp"

namespace parley {

MethodRow dposg_row();
MethodRow dp_oadam_row();
MethodRow cp_osg_row();
MethodRow cp_oadam_row();
MethodRow extra_step_local_sgd_row();
MethodRow dsgda_row();
MethodRow gt_gda_row();
MethodRow gt_da_row();
MethodRow gt_eg_row();
MethodRow optimistic_gt_row();
MethodRow dm_hsgd_row();
MethodRow dgda_vr_row();
MethodRow decentralized_extra_step_row();
MethodRow local_sgda_row();
MethodRow local_sgda_plus_row();
MethodRow fedgda_gt_row();
MethodRow proxskip_vip_row();
MethodRow minibatch_extra_step_row();
MethodRow local_adam_extra_step_row();
MethodRow rand_dp_oadam_row();
MethodRow extra_adam_row();
MethodRow past_extra_adam_row();
MethodRow sgd_row();
MethodRow adam_row();

std::span<const MethodRow> method_registry() {
  static const std::array rows{dposg_row(),
                               dp_oadam_row(),
                               cp_osg_row(),
                               cp_oadam_row(),
                               extra_step_local_sgd_row(),
                               dsgda_row(),
                               gt_gda_row(),
                               gt_da_row(),
                               gt_eg_row(),
                               optimistic_gt_row(),
                               dm_hsgd_row(),
                               dgda_vr_row(),
                               decentralized_extra_step_row(),
                               local_sgda_row(),
                               local_sgda_plus_row(),
                               fedgda_gt_row(),
                               proxskip_vip_row(),
                               minibatch_extra_step_row(),
                               local_adam_extra_step_row(),
                               rand_dp_oadam_row(),
                               extra_adam_row(),
                               past_extra_adam_row(),
                               sgd_row(),
                               adam_row()};
  return rows;
}

const MethodRow& find_method(std::string_view name) {
  const auto rows = method_registry();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const MethodRow& row) { return row.kind.name == name; });
  ensure(found != rows.end(), "find_method: the deck reader lets only registered methods through");
  return *found;
}

}  // namespace parley
