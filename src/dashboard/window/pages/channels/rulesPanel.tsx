import { Plus, X } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ChannelRules } from '#contract/rule/channelRules.ts'
import {
  type ConditionRow,
  filterOf,
  filterRows,
  type MapRow,
  mapRow,
  mapRuleOf,
  parseRulesText,
  ruleOperators,
  rulesText,
} from '#dashboard/form/ruleForm.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { ruleBuilderWords as words } from '#dashboard/words/en/ruleBuilder.ts'
import { Button } from '../../parts/button.tsx'
import { Options, TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'

type RulesProps = { rules: ChannelRules; onChange: (rules: ChannelRules) => void }
export type RulesPanelProps = RulesProps & { issue: string | undefined }

/** The rules with one of them replaced; undefined removes it. */
function withRule<Name extends keyof ChannelRules>(
  rules: ChannelRules,
  name: Name,
  value: ChannelRules[Name],
): ChannelRules {
  const { [name]: _, ...others } = rules
  return value === undefined ? others : { ...others, [name]: value }
}

const replaced = <Row,>(rows: readonly Row[], at: number, row: Row): Row[] =>
  rows.map((each, n) => (n === at ? row : each))
const without = <Row,>(rows: readonly Row[], at: number): Row[] => rows.filter((_, n) => n !== at)

/** A text field inside a sentence. It takes effect on blur, so that a partial value is never a rule. */
const Word = ({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) => (
  <label>
    <span class="hidden">{label}</span>
    <input
      type="text"
      placeholder={label}
      value={value}
      autocomplete="off"
      onChange={(event) => onChange(event.currentTarget.value.trim())}
    />
  </label>
)

const Line = ({ children, onRemove }: { children: ComponentChildren; onRemove: () => void }) => (
  <li class="row ruleLine">
    {children}
    <Button isSmall variant="quiet" icon={X} label={frameWords.remove} onClick={onRemove} />
  </li>
)

function ConditionLine({ row, onChange }: { row: ConditionRow; onChange: (row: ConditionRow) => void }) {
  return (
    <>
      <Word label={words.field} value={row.field} onChange={(field) => onChange({ ...row, field })} />
      <label>
        <span class="hidden">{words.operator}</span>
        <select
          value={row.operator}
          onChange={(event) => onChange({ ...row, operator: event.currentTarget.value, text: '' })}
        >
          <Options of={ruleOperators.map((operator) => [operator, words.operators[operator]])} />
        </select>
      </label>
      {row.operator !== '$exist' && (
        <Word label={frameWords.value} value={row.text} onChange={(text) => onChange({ ...row, text })} />
      )}
    </>
  )
}

/** Deliver an event if `data.value` `is at least` `10`. */
function FilterLines({ rules, onChange }: RulesProps) {
  const rows = filterRows(rules.filter)
  const change = (next: readonly ConditionRow[]) => onChange(withRule(rules, 'filter', filterOf(next)))
  if (!rows) return <p class="hint">{words.complex}</p>
  const fresh = { field: rows.length === 0 ? 'eventName' : 'data.value', operator: '$eq', text: '' }
  return (
    <>
      <p>{rows.length === 0 ? words.always : words.deliverIf}</p>
      <ul class="ruleLines">
        {rows.map((row, at) => (
          <Line key={at} onRemove={() => change(without(rows, at))}>
            {at > 0 && <span>{words.and}</span>}
            <ConditionLine row={row} onChange={(next) => change(replaced(rows, at, next))} />
          </Line>
        ))}
      </ul>
      <Button isSmall icon={Plus} onClick={() => change([...rows, fresh])}>
        {words.addCondition}
      </Button>
    </>
  )
}

/** Send `generate_lead` as `Lead`. */
function RenameLines({ rules, onChange }: RulesProps) {
  const pairs = Object.entries(rules.rename ?? {})
  const change = (next: readonly (readonly [string, string | null])[]) =>
    onChange(withRule(rules, 'rename', next.length > 0 ? Object.fromEntries(next) : undefined))
  return (
    <>
      <ul class="ruleLines">
        {pairs.map(([from, to], at) => (
          <Line key={at} onRemove={() => change(without(pairs, at))}>
            <span>{words.send}</span>
            <Word label={words.oldName} value={from} onChange={(name) => change(replaced(pairs, at, [name, to]))} />
            <span>{words.as}</span>
            <Word
              label={words.newName}
              value={to ?? ''}
              onChange={(name) => change(replaced(pairs, at, [from, name || null]))}
            />
          </Line>
        ))}
      </ul>
      <Button isSmall icon={Plus} onClick={() => change([...pairs, ['', null]])}>
        {words.addRename}
      </Button>
    </>
  )
}

function MapLine({ row, onChange }: { row: MapRow; onChange: (row: MapRow) => void }) {
  const { kind, target, source } = row
  const sourceLabel = kind === 'from' ? words.source : frameWords.value
  return (
    <>
      <label>
        <span class="hidden">{words.kind}</span>
        <select
          value={kind}
          onChange={(event) => onChange({ ...row, kind: event.currentTarget.value as MapRow['kind'] })}
        >
          <Options of={Object.entries(words.kinds)} />
        </select>
      </label>
      <Word label={words.target} value={target} onChange={(text) => onChange({ ...row, target: text })} />
      {kind !== 'remove' && (
        <Word label={sourceLabel} value={source} onChange={(text) => onChange({ ...row, source: text })} />
      )}
    </>
  )
}

/** Then set `data.value` to the value of `data.margin`. */
function MapLines({ rules, onChange }: RulesProps) {
  const { map = [] } = rules
  const change = (next: NonNullable<ChannelRules['map']>) =>
    onChange(withRule(rules, 'map', next.length > 0 ? next : undefined))
  return (
    <>
      {map.length > 0 && <p>{words.changes}</p>}
      <ol class="ruleLines">
        {map.map((rule, at) => {
          const row = mapRow(rule)
          return (
            <Line key={at} onRemove={() => change(without(map, at))}>
              {row ? (
                <MapLine row={row} onChange={(next) => change(replaced(map, at, mapRuleOf(next)))} />
              ) : (
                <span>{words.otherRule(JSON.stringify(rule))}</span>
              )}
            </Line>
          )
        })}
      </ol>
      <Button isSmall icon={Plus} onClick={() => change([...map, { set: 'data.', from: 'data.' }])}>
        {words.addRule}
      </Button>
    </>
  )
}

/** All rules as JSON. Typed text that is not an object of rules stays as it is. */
function JsonText({ rules, issue, onChange }: RulesProps & { issue?: string | undefined }) {
  const [typed, setTyped] = useState<{ text: string; of: ChannelRules }>()
  const text = typed?.of === rules ? typed.text : rulesText(rules)
  const isBroken = parseRulesText(text) === undefined
  return (
    <TextField
      label={words.json}
      issue={isBroken ? words.jsonBroken : issue}
      isOptional
      rows={8}
      value={text}
      onChange={(next) => {
        const parsed = parseRulesText(next)
        setTyped({ text: next, of: parsed ?? rules })
        if (parsed) onChange(parsed)
      }}
    />
  )
}

/** The rules of a channel as rows that read as sentences, and as JSON. */
export function RulesPanel({ rules, issue, onChange }: RulesPanelProps) {
  const part = { rules, onChange }
  const percent = rules.sample === undefined ? '100' : `${Math.round(rules.sample * 1e6) / 1e4}`
  const setPercent = (text: string) => {
    const share = Number(text.replace(',', '.')) / 100
    onChange(withRule(rules, 'sample', share >= 1 || !(share > 0) ? undefined : share))
  }
  return (
    <Panel title={words.title} note={words.note}>
      <FilterLines {...part} />
      <RenameLines {...part} />
      <MapLines {...part} />
      <div class="row ruleLine">
        <span>{words.sample}</span>
        <Word label={words.sample} value={percent} onChange={setPercent} />
      </div>
      <JsonText {...part} issue={issue} />
    </Panel>
  )
}
