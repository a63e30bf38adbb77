import { Plus, TriangleAlert } from 'lucide'
import { useState } from 'preact/hooks'
import { alertRuleKinds, fieldsOfKind, usualAlertRules } from '#contract/alertKinds.ts'
import type { AlertRule } from '#contract/alertRule.ts'
import { alertRuleWords as words } from '#dashboard/words/en/alertRules.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useAction } from '../../data/action.ts'
import type { Form } from '../../data/form.ts'
import { useHere, useMay, useRead } from '../../data/here.tsx'
import { Button, type ButtonProps } from '../../parts/button.tsx'
import { FormButton } from '../../parts/formDialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { CheckRow, SelectField, TextField } from '../../parts/inputs.tsx'
import { Time } from '../../parts/time.tsx'
import { useContactPoints } from './contactPoints.tsx'
import { NamedRows, RemoveButton } from './namedRows.tsx'

const dayMs = 86_400_000
const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The rule as a write: fields of another kind are left out, the others are kept. */
function toWrite({ name: _, mutedUntil: __, ...rule }: AlertRule) {
  const own: readonly string[] = [...fieldsOfKind[rule.kind], 'kind', 'to', 'quiet', 'timeZone']
  const names = rule.kind === 'disk' ? own : [...own, 'tagId']
  return Object.fromEntries(
    Object.entries(rule).filter(([name, value]) => names.includes(name) && value !== ''),
  ) as Omit<AlertRule, 'name'>
}

type RuleDraft = Required<Pick<AlertRule, 'name' | 'kind' | 'to' | 'tagId' | 'eventName' | 'quiet'>>

type RecipientsProps = { value: string[]; issue: string | undefined; onChange: (to: string[]) => void }

function Recipients({ value, issue, onChange }: RecipientsProps) {
  const points = useContactPoints().data?.contactPoints ?? []
  return (
    <fieldset>
      <legend>{words.to}</legend>
      {points.length === 0 && <p class="soft">{words.noContact}</p>}
      {points.map(({ name }) => (
        <CheckRow
          key={name}
          label={<bdi>{name}</bdi>}
          value={value.includes(name)}
          onChange={(isOn) => onChange(isOn ? [...value, name] : value.filter((each) => each !== name))}
        />
      ))}
      <p class="fieldIssue">{issue}</p>
    </fieldset>
  )
}

function RuleFields({ form: { field, draft }, isNew }: { form: Form<RuleDraft>; isNew: boolean }) {
  const { me } = useHere()
  const tags = me.tags.map(({ tagId, name }) => [tagId, name] as const)
  return (
    <>
      {isNew && <TextField {...field('name')} label={frameWords.name} maxLength={64} />}
      <SelectField
        {...field('kind')}
        label={words.kind}
        options={alertRuleKinds.map((each) => [each, words.kindName[each]])}
      />
      {draft.kind !== 'disk' && (
        <SelectField {...field('tagId')} label={frameWords.chooseTag} options={[['', words.everyTag], ...tags]} />
      )}
      {fieldsOfKind[draft.kind].includes('eventName') && (
        <TextField {...field('eventName')} label={words.eventName} isOptional />
      )}
      <Recipients {...field('to')} />
      <TextField {...field('quiet')} label={words.quiet} help={words.quietHint} isOptional />
    </>
  )
}

/** Called with the event names of saved rules that the server does not know. */
type OnUnknown = (eventNames: readonly string[]) => void
const unknownOf = (saved: readonly { eventName?: string | undefined; warnings?: readonly string[] | undefined }[]) =>
  saved.flatMap(({ eventName, warnings }) => (warnings && eventName !== undefined ? [eventName] : []))

const draftOf = ({ name, kind, to, tagId, eventName, quiet }: Partial<AlertRule> = {}): RuleDraft => ({
  ...{ name: name ?? '', kind: kind ?? 'channelStopped', to: to ?? [] },
  ...{ tagId: tagId ?? '', eventName: eventName ?? '', quiet: quiet ?? '' },
})

type RuleButtonProps = { of?: AlertRule; button: ButtonProps; onUnknown: OnUnknown }

const RuleButton = ({ of, button, onUnknown }: RuleButtonProps) => (
  <FormButton
    button={button}
    title={of ? words.edit : words.add}
    label={frameWords.save}
    isNarrow
    start={draftOf(of)}
    isReady={({ name, to }) => name.trim() !== '' && to.length > 0}
    changes={['alertRules']}
    call={(api, draft) =>
      api.putAlertRule({ name: draft.name.trim(), body: toWrite({ timeZone: ownZone(), ...of, ...draft }) })
    }
    onDone={(done) => onUnknown(unknownOf([done]))}
  >
    {(form) => <RuleFields form={form} isNew={!of} />}
  </FormButton>
)

function Actions({ of, why, onUnknown }: { of: AlertRule; why: string | undefined; onUnknown: OnUnknown }) {
  const action = useAction('alertRules')
  const { name, mutedUntil = 0 } = of
  const isMuted = mutedUntil > Date.now()
  const mute = () => action.run((api) => api.muteAlertRule({ name, body: { until: isMuted ? 0 : Date.now() + dayMs } }))
  return (
    <>
      <Button isSmall why={why} isBusy={action.isBusy} onClick={mute}>
        {isMuted ? words.unmute : words.mute}
      </Button>
      <RuleButton of={of} button={{ isSmall: true, why }} onUnknown={onUnknown} />
      <RemoveButton
        words={words}
        name={name}
        why={why}
        changes={['alertRules', 'incidents']}
        call={(api) => api.deleteAlertRule({ name })}
      />
    </>
  )
}

function State({ of: { mutedUntil = 0 } }: { of: AlertRule }) {
  if (mutedUntil <= Date.now()) return <>{words.on}</>
  return (
    <>
      {words.muted} <Time at={mutedUntil} />
    </>
  )
}

/** Adds the rules that need no tuning. */
function UsualRules({ why, onUnknown }: { why: string | undefined; onUnknown: OnUnknown }) {
  const action = useAction('alertRules')
  const to = (useContactPoints().data?.contactPoints ?? []).map(({ name }) => name)
  const rules = Object.entries(usualAlertRules)
  const add = async () => {
    const saved = await action.run((api) =>
      Promise.all(rules.map(([name, rule]) => api.putAlertRule({ name, body: { ...rule, to, timeZone: ownZone() } }))),
    )
    if (saved) onUnknown(unknownOf(saved))
  }
  return (
    <Button why={why ?? (to.length === 0 ? words.noContact : undefined)} isBusy={action.isBusy} onClick={add}>
      {words.addUsual}
    </Button>
  )
}

/** Warns once after saving that a rule may be misspelt. */
const UnknownEvents = ({ of }: { of: readonly string[] }) => (
  <div role="status">
    {[...new Set(of)].map((eventName) => (
      <p key={eventName} class="row notice wait">
        <Icon of={TriangleAlert} />
        <span>{words.unknownEvent(eventName)}</span>
      </p>
    ))}
  </div>
)

/** The alert rules, and who is notified. */
export function AlertRules() {
  const { why } = useMay('hook:write')
  const { me } = useHere()
  const reading = useRead(['alertRules'], (api) => api.listAlertRules({ limit: 200 }))
  const [unknown, setUnknown] = useState<readonly string[]>([])
  const tagName = (tagId?: string) => me.tags.find((tag) => tag.tagId === tagId)?.name ?? tagId ?? words.everyTag
  return (
    <NamedRows
      words={words}
      of={reading}
      rowsOf={(data) => data.alertRules}
      actions={
        <>
          {reading.data?.alertRules.length === 0 && <UsualRules why={why} onUnknown={setUnknown} />}
          <RuleButton button={{ variant: 'primary', icon: Plus, why }} onUnknown={setUnknown} />
        </>
      }
      columns={[
        { name: 'tag', label: frameWords.chooseTag, cell: ({ tagId }) => <bdi>{tagName(tagId)}</bdi> },
        { name: 'to', label: words.to, cell: ({ to }) => <bdi>{to.join(', ')}</bdi> },
        { name: 'state', label: frameWords.state, cell: (row) => <State of={row} /> },
      ]}
      foot={<UnknownEvents of={unknown} />}
      rowActions={(row) => <Actions of={row} why={why} onUnknown={setUnknown} />}
    />
  )
}
