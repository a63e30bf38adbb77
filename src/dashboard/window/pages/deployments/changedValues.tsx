import { CirclePlus, CircleX, Pencil } from 'lucide'
import type { ChangedValues as Values } from '#contract/deployment.ts'
import { hookErrorsOf } from '#dashboard/api/problem.ts'
import { deploymentWords as words } from '#dashboard/words/en/deployments.ts'
import { useAddress } from '../../data/here.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { ValueChanges } from './valueDiff.tsx'

const looks = {
  added: { icon: CirclePlus, tone: 'good' },
  changed: { icon: Pencil, tone: 'wait' },
  removed: { icon: CircleX, tone: 'bad' },
} as const

/** Every value that differs: of the tag, then of each channel. */
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
          actions={<Mark {...looks[change]}>{words.change(change)}</Mark>}
          note={change !== 'removed' && <a href={address('channel', { tagId, scriptId })}>{scriptId}</a>}
        >
          {change !== 'removed' && <ValueChanges of={values} />}
        </Panel>
      ))}
    </>
  )
}

/** What the hooks of the team said against a deployment. */
export function HookErrors({ of }: { of: unknown }) {
  const errors = hookErrorsOf(of)
  if (errors.length === 0) return null
  return (
    <div class="warnings" role="alert">
      <p>{words.hookErrors}</p>
      <ul>
        {errors.map(({ url, message }) => (
          <li key={url}>
            <bdi>{url}</bdi>: {message}
          </li>
        ))}
      </ul>
    </div>
  )
}
