import type { MapRule } from '#contract/rule/channelRules.ts'
import { type ImportDraft, newElement, noteOn } from '../importDraft.ts'
import type { ImportedElement } from '../importResult.ts'
import type { GtmContainer, GtmElement, GtmTag } from './container.ts'
import { checkedRule } from './dataRules.ts'
import { fieldOf, type Resolver } from './variables.ts'

type DraftOfTag = { tag: GtmTag; draft: ImportDraft }

/** The drafts of the tags that a transformation affects: listed tags, all except listed, all of some types, or all. */
function affected({ parameters: { texts, tables } }: GtmElement, drafts: readonly DraftOfTag[]): DraftOfTag[] {
  const names = new Set(
    (tables.get('affectedTags') ?? []).map((row) => row.get('tagReference') ?? row.get('value') ?? ''),
  )
  const types = new Set(
    (tables.get('affectedTagTypes') ?? []).map((row) => row.get('tagType') ?? row.get('value') ?? ''),
  )
  const isExcept = texts.get('allTagsExcept') === 'true'
  if (isExcept) return drafts.filter(({ tag }) => !names.has(tag.name))
  if (names.size === 0 && types.size === 0) return [...drafts]
  return drafts.filter(({ tag }) => names.has(tag.name) || types.has(tag.type))
}

const tables: Readonly<Record<string, string>> = {
  tf_exclude_params: 'excludeParams',
  tf_augment_event: 'augmentEventTable',
}

/** The rules of a transformation; undefined if one of its rows cannot be a rule. */
function rulesOf({ type, parameters }: GtmElement, resolver: Resolver): MapRule[] | undefined {
  const own = Object.hasOwn(tables, type) ? tables[type]! : ''
  const rows =
    parameters.tables.get(own) ?? [...parameters.tables].find(([name]) => !name.startsWith('affected'))?.[1] ?? []
  const rules = rows.map((row): MapRule | undefined => {
    const field = fieldOf(row.get('paramName') ?? row.get('value') ?? '')
    if (field === undefined || field === 'eventName') return undefined
    if (type === 'tf_exclude_params') return { remove: field }
    const value = resolver.resolve(row.get('paramValue') ?? '')
    if (value.kind !== 'constant' && value.kind !== 'field') return undefined
    const rule = value.kind === 'field' ? { set: field, from: value.path } : { set: field, value: value.value }
    return 'set' in checkedRule(rule) ? rule : undefined
  })
  const found = rules.filter((rule) => rule !== undefined)
  return found.length === rows.length && rows.length > 0 ? found : undefined
}

/** Adds transformations as map rules to the channels that they apply to. */
export function addTransformations(
  { transformations }: GtmContainer,
  drafts: readonly DraftOfTag[],
  resolver: Resolver,
): ImportedElement[] {
  return transformations.map((transformation) => {
    const element = newElement('transformation', transformation.id, transformation.name)
    const isConditional = transformation.parameters.texts.get('matchingConditionsEnabled') === 'true'
    const isKnown = Object.hasOwn(tables, transformation.type)
    const rules = isConditional || !isKnown ? undefined : rulesOf(transformation, resolver)
    const found = affected(transformation, drafts)
    for (const { draft } of found) {
      if (rules) draft.map = [...rules, ...draft.map]
      else
        for (const of of draft.elements)
          noteOn(
            of,
            'needsDecision',
            `${transformation.name} changes its events and was not moved.`,
            'CONDITION_NOT_EXPRESSIBLE',
          )
      draft.elements = [...draft.elements, element]
    }
    const text = isConditional
      ? 'It has conditions; a map rule has none.'
      : isKnown
        ? 'It sets a value that a rule cannot read.'
        : 'It is an allow list, but a rule can only remove fields.'
    if (!rules) noteOn(element, 'notMapped', text, 'CONDITION_NOT_EXPRESSIBLE')
    return element
  })
}
