import { CircleCheck, CirclePlus, Download, Pencil } from 'lucide'
import type { ComponentChildren } from 'preact'
import type { Scope } from '#contract/scopes.ts'
import { lowestRole } from '#dashboard/api/roleOf.ts'
import type { ProviderRow } from '#dashboard/form/channelForm.ts'
import { filesOf } from '#dashboard/form/moveIn.ts'
import { isChangedIn, isNothing, type PlannedChannel } from '#dashboard/form/movePlan.ts'
import { domainOf } from '#dashboard/form/tagForm.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { moveInWords as words } from '#dashboard/words/en/moveIn.ts'
import { useHere, useMay } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { SelectField, TextField } from '../../parts/inputs.tsx'
import { Panel } from '../../parts/panel.tsx'
import { saveFile } from '../../parts/saveFile.ts'
import { Mark } from '../../parts/status.tsx'
import { ProblemLine } from '../../parts/view.tsx'
import { ValueChanges } from '../deployments/valueDiff.tsx'
import type { MoveState } from './useMove.ts'

type MoveProps = { move: MoveState; providers: readonly ProviderRow[] }

const saveJson = (value: unknown, name: string) =>
  saveFile(new Blob([`${JSON.stringify(value, undefined, 2)}\n`], { type: 'application/json' }), name)

/** The same move as files for the command line. */
function FileButton({ move: { target, channels, sources, action }, providers }: MoveProps) {
  const save = () =>
    action.run(async (api) => {
      const saved = target.tagId === '' ? undefined : await api.readTag({ tagId: target.tagId })
      const { name, domain } = saved ?? target
      const all = [...new Set([...(saved?.sources ?? []), ...sources])]
      const { configuration, secrets } = filesOf(channels, { name, domain, sources: all }, providers)
      saveJson(configuration, 'aglet.json')
      if (Object.keys(secrets).length > 0) saveJson(secrets, 'secrets.json')
    })
  return (
    <Button icon={Download} onClick={() => void save()}>
      {words.saveFiles}
    </Button>
  )
}

/** The tag that receives the channels, and the button for the plan. */
export function TargetPanel({ move, providers }: MoveProps) {
  const { me } = useHere()
  const { why } = useMay('tag:write', 'script:write', 'secret:write')
  const { target, issues, action } = move
  const wrong = Object.values(issues).reduce((sum, fields) => sum + Object.keys(fields).length, 0)
  const { name, domain, tag, ...others } = issues[''] ?? {}
  const tags = me.tags.map(({ tagId, name: text }) => [tagId, text] as const)
  return (
    <Panel title={words.targetTitle} note={target.tagId !== '' && words.targetNote}>
      <SelectField
        label={words.target}
        value={target.tagId}
        options={[['', words.newTag], ...tags]}
        onChange={(tagId) => move.changeTarget({ tagId })}
      />
      {target.tagId === '' && (
        <>
          <TextField
            label={frameWords.name}
            issue={name}
            required
            value={target.name}
            onChange={(text) => move.changeTarget({ name: text })}
          />
          <TextField
            label={words.domain}
            help={words.domainHint}
            issue={domain}
            required
            value={target.domain}
            onChange={(text) => move.changeTarget({ domain: text })}
            onBlur={() =>
              target.domain !== domainOf(target.domain) && move.changeTarget({ domain: domainOf(target.domain) })
            }
          />
        </>
      )}
      {wrong > 0 && (
        <p class="fieldIssue" role="alert">
          {Object.values(others)[0] ?? tag ?? words.planned(wrong)}
        </p>
      )}
      {wrong === 0 && <ProblemLine error={action.error} />}
      <div class="row">
        <Button variant="primary" why={why} isBusy={action.isBusy} onClick={() => void move.plan()}>
          {words.plan}
        </Button>
        <FileButton move={move} providers={providers} />
      </div>
      <p class="hint">{words.filesNote}</p>
    </Panel>
  )
}

const marks = {
  create: { icon: CirclePlus, tone: 'good' },
  change: { icon: Pencil, tone: 'wait' },
  same: { icon: CircleCheck, tone: 'none' },
} as const

type ChangeProps = { title: string; kind: keyof typeof marks; children?: ComponentChildren }

const Change = ({ title, kind, children }: ChangeProps) => (
  <section class="stack tight planned" aria-label={title}>
    <h3>
      <bdi>{title}</bdi> <Mark {...marks[kind]}>{words.changes[kind]}</Mark>
    </h3>
    {children}
  </section>
)

function PlannedItem({ of }: { of: PlannedChannel }) {
  const { channel, saved, values, sealed } = of
  return (
    <Change title={channel.name.trim()} kind={!isChangedIn(of) ? 'same' : saved ? 'change' : 'create'}>
      <ValueChanges of={values} />
      {sealed.length > 0 && <p class="hint">{words.sealed(sealed)}</p>}
    </Change>
  )
}

/** The changes as checked by the server, and the buttons that apply them. */
export function PlanPanel({ move }: { move: MoveState }) {
  const { me } = useHere()
  const { planned, action, target } = move
  const { why } = useMay('tag:write', 'script:write', 'secret:write')
  if (!planned) return null
  const { plan, warnings, missingScopes, body } = planned
  const saved = me.tags.find(({ tagId }) => tagId === target.tagId)
  const lacks = missingScopes.length > 0 ? frameWords.needsRole(lowestRole(missingScopes as Scope[]), undefined) : why
  if (isNothing(plan))
    return (
      <Panel title={words.planTitle}>
        <p role="status">{words.nothing}</p>
      </Panel>
    )
  return (
    <Panel title={words.planTitle} note={words.planNote}>
      {warnings.length > 0 && (
        <div role="alert">
          <h3>{words.warnings}</h3>
          <ul class="bullets">
            {warnings.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
      {plan.tagValues.length > 0 && (
        <Change
          title={saved ? words.changeTag(saved.name) : words.makeTag(body.tag?.name ?? '')}
          kind={saved ? 'change' : 'create'}
        >
          <ValueChanges of={plan.tagValues} />
        </Change>
      )}
      {plan.channels.map((each) => (
        <PlannedItem key={each.channel.key} of={each} />
      ))}
      <div class="row">
        <Button variant="primary" why={lacks} isBusy={action.isBusy} onClick={() => void move.apply(true)}>
          {words.apply}
        </Button>
        <Button why={lacks} isDisabled={action.isBusy} onClick={() => void move.apply(false)}>
          {words.applyDraft}
        </Button>
      </div>
    </Panel>
  )
}
