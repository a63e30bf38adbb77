import { BellOff } from 'lucide'
import { alertRuleWords as words } from '#dashboard/words/en/alertRules.ts'
import { useAction } from '../../data/action.ts'
import { useMay } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Time } from '../../parts/time.tsx'
import { useIncidents } from './incidents.tsx'

const dayMs = 86_400_000

function MuteButton({ label, forMs }: { label: string; forMs: number }) {
  const { why } = useMay('hook:write')
  const action = useAction('alertRules', 'incidents')
  const mute = () => action.run((api) => api.muteAlertRules({ body: { until: forMs && Date.now() + forMs } }))
  return (
    <Button isSmall why={why} isBusy={action.isBusy} onClick={mute}>
      {label}
    </Button>
  )
}

/** The switch that mutes all rules of the team, while they are not muted. */
export function MuteAll() {
  const { data } = useIncidents()
  return data && data.mutedUntil === undefined ? <MuteButton label={words.muteAll} forMs={dayMs} /> : null
}

/** Says that all rules of the team are muted, also to those who may not change it. */
export function AllMuted() {
  const { mutedUntil } = useIncidents().data ?? {}
  if (mutedUntil === undefined) return null
  return (
    <div class="notice wait" role="status">
      <Icon of={BellOff} />
      <span>
        {words.allMuted} <Time at={mutedUntil} />
      </span>
      <MuteButton label={words.unmuteAll} forMs={0} />
    </div>
  )
}
