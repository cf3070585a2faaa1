# A rule of the house on what the gate found, beside the gate's own verdict:
#
#   auditor gate --format json > gate.json
#   conftest test --policy templates --namespace auditor gate.json
#   opa eval --fail-defined --data templates/gate.rego --input gate.json 'data.auditor.deny[_]'
#
# `auditor schema result` prints the schema of the input.
package auditor

import rego.v1

# What was judged by another version of the document is not judged by these rules.
deny contains "the input is no result of auditor gate, schema version 1" if not known

known if {
	input.command == "gate"
	input.schema_version == 1
}

deny contains sprintf("the gate is closed: %s", [input.verdict]) if not input.verdict in {"pass", "waived"}

# null is no false in Rego: whether something is there is asked with != null.
deny contains "nothing was compared: there is no base revision" if not compared

compared if input.base != null

# Every release says for whom and what for.
deny contains sprintf("%s: names no recipients or no purpose", [release.name]) if {
	some release in input.releases
	not complete(release)
}

complete(release) if {
	some recipient in release.recipients
	trim_space(recipient) != ""
	release.purpose != null
	trim_space(release.purpose) != ""
}

# However it is written: "Public" and "public " are everybody, too.
everybody(release) if {
	some recipient in release.recipients
	lower(trim_space(recipient)) == "public"
}

# What goes to anybody is excused by nobody: no waivers, no approved weakenings.
deny contains sprintf("%s: is public, and passes with waivers alone", [release.name]) if {
	some release in input.releases
	everybody(release)
	release.status == "waived"
}

deny contains sprintf("%s: is public, and %s approved that it is weakened", [release.name, release.approval.approved_by]) if {
	some release in input.releases
	everybody(release)
	release.approval != null
}
