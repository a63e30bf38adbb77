import { Plus, TriangleAlert } from 'lucide'
import { useState } from 'preact/hooks'
import { type AlertRuleKind, alertRuleKinds, fieldsOfKind, usualAlertRules } from '#contract/alertKinds.ts'
import type { AlertRule } from '#contract/alertRule.ts'
import { alertRuleWords as words } from '#dashboard/words/en/alertRules.ts'
import { useAction } from '../../data/action.ts'
import { useHere, useMay, useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { DialogButton, FormDialog } from '../../parts/formDialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { CheckRow, SelectField, TextField } from '../../parts/inputs.tsx'
import { Time } from '../../parts/time.tsx'
import { useContactPoints } from './contactPoints.tsx'
import { NamedRows, RemoveButton } from './namedRows.tsx'

const dayMs = 86_400_000
const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The rule as a write: fields of another kind are left out, the others stay as they were. */
function toWrite({ name: _, mutedUntil: __, ...rule }: AlertRule) {
  const own: readonly string[] = [...fieldsOfKind[rule.kind], 'kind', 'to', 'quiet', 'timeZone']
  const names = rule.kind === 'disk' ? own : [...own, 'tagId']
  return Object.fromEntries(
    Object.entries(rule).filter(([name, value]) => names.includes(name) && value !== ''),
  ) as Omit<AlertRule, 'name'>
}

const newRule = (): AlertRule => ({ name: '', kind: 'channelStopped', to: [], timeZone: ownZone() })

type ChangeRule = (change: Partial<AlertRule>) => void

function Recipients({ rule, change }: { rule: AlertRule; change: ChangeRule }) {
  const points = useContactPoints().data?.contactPoints ?? []
  return (
    <fieldset>
      <legend>{words.to}</legend>
      {points.length === 0 && <p class="soft">{words.noContact}</p>}
      {points.map(({ name }) => (
        <CheckRow
          key={name}
          label={<bdi>{name}</bdi>}
          checked={rule.to.includes(name)}
          onChange={(isOn) => change({ to: isOn ? [...rule.to, name] : rule.to.filter((each) => each !== name) })}
        />
      ))}
    </fieldset>
  )
}

function Watched({ rule, change, issue }: { rule: AlertRule; change: ChangeRule; issue: string | undefined }) {
  const { me } = useHere()
  const tags = me.tags.map(({ tagId, name }) => [tagId, name] as const)
  return (
    <>
      <SelectField<AlertRuleKind>
        label={words.kind}
        value={rule.kind}
        options={alertRuleKinds.map((each) => [each, words.kindName(each)])}
        onChange={(kind) => change({ kind })}
      />
      {rule.kind !== 'disk' && (
        <SelectField
          label={words.tag}
          value={rule.tagId ?? ''}
          options={[['', words.everyTag], ...tags]}
          onChange={(tagId) => change({ tagId })}
        />
      )}
      {fieldsOfKind[rule.kind].includes('eventName') && (
        <TextField
          label={words.eventName}
          issue={issue}
          isOptional
          value={rule.eventName ?? ''}
          onChange={(eventName) => change({ eventName })}
        />
      )}
    </>
  )
}

/** The names of events in saved rules that the server does not know. */
type OnUnknown = (eventNames: readonly string[]) => void
const unknownOf = (saved: readonly { eventName?: string | undefined; warnings?: readonly string[] | undefined }[]) =>
  saved.flatMap(({ eventName, warnings }) => (warnings && eventName !== undefined ? [eventName] : []))

type RuleDialogProps = { of?: AlertRule; onUnknown: OnUnknown; onClose: () => void }

function RuleDialog({ of, onUnknown, onClose }: RuleDialogProps) {
  const action = useAction('alertRules')
  const [rule, setRule] = useState(of ?? newRule())
  const change: ChangeRule = (more) => setRule({ ...rule, ...more })
  const issues = action.issues('name', 'eventName', 'quiet', 'to')
  const save = async () => {
    const done = await action.run((api) => api.putAlertRule({ name: rule.name.trim(), body: toWrite(rule) }))
    if (!done) return
    onUnknown(unknownOf([done]))
    onClose()
  }
  return (
    <FormDialog
      title={of ? words.edit : words.add}
      label={words.save}
      isNarrow
      action={action}
      issues={issues}
      isReady={rule.name.trim() !== '' && rule.to.length > 0}
      onSubmit={save}
      onClose={onClose}
    >
      {!of && (
        <TextField
          label={words.name}
          issue={issues.name}
          maxLength={64}
          value={rule.name}
          onChange={(name) => change({ name })}
        />
      )}
      <Watched rule={rule} change={change} issue={issues.eventName} />
      <Recipients rule={rule} change={change} />
      <TextField
        label={words.quiet}
        issue={issues.quiet}
        help={words.quietHint}
        isOptional
        value={rule.quiet ?? ''}
        onChange={(quiet) => change({ quiet })}
      />
    </FormDialog>
  )
}

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
      <DialogButton isSmall why={why} dialog={(close) => <RuleDialog of={of} onUnknown={onUnknown} onClose={close} />}>
        {words.edit}
      </DialogButton>
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

/** Says once after saving that a rule may be misspelt. */
const UnknownEvents = ({ of }: { of: readonly string[] }) => (
  <div role="status">
    {[...new Set(of)].map((eventName) => (
      <p key={eventName} class="notice wait">
        <Icon of={TriangleAlert} />
        <span>{words.unknownEvent(eventName)}</span>
      </p>
    ))}
  </div>
)

/** What is watched, and who is told. */
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
      head={
        <>
          {reading.data?.alertRules.length === 0 && <UsualRules why={why} onUnknown={setUnknown} />}
          <DialogButton
            look="primary"
            icon={Plus}
            why={why}
            dialog={(close) => <RuleDialog onUnknown={setUnknown} onClose={close} />}
          >
            {words.add}
          </DialogButton>
        </>
      }
      columns={[
        { name: 'tag', label: words.tag, cell: ({ tagId }) => <bdi>{tagName(tagId)}</bdi> },
        { name: 'to', label: words.to, cell: ({ to }) => <bdi>{to.join(', ')}</bdi> },
        { name: 'state', label: words.state, cell: (row) => <State of={row} /> },
      ]}
      foot={<UnknownEvents of={unknown} />}
      actions={(row) => <Actions of={row} why={why} onUnknown={setUnknown} />}
    />
  )
}
