import { CirclePlus, CircleX, Pencil } from 'lucide'
import type { DeploymentValues as Values } from '#contract/deployment.ts'
import { deploymentWords as words } from '#dashboard/words/en/deployments.ts'
import { eventWords } from '#dashboard/words/en/events.ts'
import { useAddress } from '../../data/here.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { ValueChanges } from './valueDiff.tsx'

const marks = {
  added: { icon: CirclePlus, tone: 'good' },
  changed: { icon: Pencil, tone: 'wait' },
  removed: { icon: CircleX, tone: 'bad' },
} as const

/** Every value that differs, of the tag and then of each channel. */
export function ChangedValues({ tagId, of: { settings, scripts } }: { tagId: string; of: Values }) {
  const address = useAddress()
  return (
    <>
      {settings.length > 0 && (
        <Panel title={words.settings}>
          <ValueChanges of={settings} />
        </Panel>
      )}
      {scripts.map(({ scriptId, name, change, values }) => (
        <Panel
          key={scriptId}
          title={name}
          actions={<Mark {...marks[change]}>{words.change(change)}</Mark>}
          note={change !== 'removed' && <a href={address('channel', { tagId, scriptId })}>{eventWords.openChannel}</a>}
        >
          {change !== 'removed' && <ValueChanges of={values} />}
        </Panel>
      ))}
    </>
  )
}
