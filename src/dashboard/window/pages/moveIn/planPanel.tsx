import { CircleCheck, CirclePlus, Pencil } from 'lucide'
import type { ComponentChildren } from 'preact'
import type { Scope } from '#contract/scopes.ts'
import { lowestRole } from '#dashboard/api/roleOf.ts'
import { isChangedIn, isNothing, type PlannedChannel } from '#dashboard/form/movePlan.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { moveInWords as words } from '#dashboard/words/en/moveIn.ts'
import { useHere, useMay } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { ValueChanges } from '../deployments/valueDiff.tsx'
import type { MoveState } from './useMove.ts'

const looks = {
  create: { icon: CirclePlus, tone: 'good' },
  change: { icon: Pencil, tone: 'wait' },
  same: { icon: CircleCheck, tone: 'none' },
} as const

type ChangeProps = { title: string; kind: keyof typeof looks; children?: ComponentChildren }

const Change = ({ title, kind, children }: ChangeProps) => (
  <section class="stack tight planned" aria-label={title}>
    <h3>
      <bdi>{title}</bdi> <Mark {...looks[kind]}>{words.changes[kind]}</Mark>
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

/** What would change, as the server has checked it, and the buttons that do it. */
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
        <Button look="primary" why={lacks} isBusy={action.isBusy} onClick={() => void move.apply(true)}>
          {words.apply}
        </Button>
        <Button why={lacks} isDisabled={action.isBusy} onClick={() => void move.apply(false)}>
          {words.applyDraft}
        </Button>
      </div>
    </Panel>
  )
}
