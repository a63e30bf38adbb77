import type { MapRule } from '#contract/rule/channelRules.ts'
import type { ImportDraft } from './importDraft.ts'

/** A draft that others were merged into, and the name that each event gets. */
type Group = { draft: ImportDraft; targets: Map<string, string> }

/** Every event that a draft names, and its name for the channel. */
const targetsOf = ({ routes, rename }: ImportDraft): [string, string][] =>
  routes.flatMap(({ names = [] }) => names.map((name): [string, string] => [name, rename.get(name) ?? name]))

/** True if the draft lists the events that it gets. */
export const isNamed = ({ routes }: ImportDraft) => routes.every(({ names }) => names !== undefined)

const conflicts = (one: ReadonlyMap<string, string>, other: Iterable<[string, string]>) =>
  [...other].some(([name, value]) => (one.get(name) ?? value) !== value)

/** Drafts can share a channel only if no event would get two names, and no rename reaches an event that is not named. */
function canJoin({ draft: first, targets }: Group, draft: ImportDraft): boolean {
  const own = targetsOf(draft)
  const isRenamed = [...targets, ...own].some(([name, target]) => name !== target)
  if (isRenamed && !(isNamed(first) && isNamed(draft))) return false
  return !conflicts(targets, own) && !conflicts(first.pairs?.idOf ?? new Map(), draft.pairs?.idOf ?? [])
}

const keyOf = ({ providerId, values, consentCategory, map, sample, isActive, name, pairs }: ImportDraft) =>
  JSON.stringify([
    [providerId, name, consentCategory, sample, isActive, pairs?.variable],
    Object.entries(values).sort(),
    map,
  ])

const copyOf = (draft: ImportDraft): ImportDraft => ({
  ...draft,
  rename: new Map(draft.rename),
  ...(draft.pairs && { pairs: { variable: draft.pairs.variable, idOf: new Map(draft.pairs.idOf) } }),
})

const distinctRules = (rules: readonly MapRule[]) => [
  ...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values(),
]

function join({ draft, targets }: Group, other: ImportDraft): void {
  draft.elements = [...draft.elements, ...other.elements]
  draft.routes = [...draft.routes, ...other.routes]
  draft.personMap = distinctRules([...draft.personMap, ...other.personMap])
  for (const [name, target] of other.rename) draft.rename.set(name, target)
  for (const [name, id] of other.pairs?.idOf ?? []) draft.pairs?.idOf.set(name, id)
  for (const [name, target] of targetsOf(other)) targets.set(name, target)
}

/** Drafts of the same vendor, account and settings as one: usually an export has one tag for each event. */
export function mergeDrafts(drafts: readonly ImportDraft[]): ImportDraft[] {
  const groups = new Map<string, Group[]>()
  for (const draft of drafts) {
    const key = keyOf(draft)
    const same = groups.get(key) ?? []
    const group = same.find((each) => canJoin(each, draft))
    if (group) join(group, draft)
    else groups.set(key, [...same, { draft: copyOf(draft), targets: new Map(targetsOf(draft)) }])
  }
  return [...groups.values()].flat().map(({ draft }) => draft)
}
