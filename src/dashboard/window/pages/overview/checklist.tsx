import { Circle, CircleCheck } from 'lucide'
import type { ChannelStatus } from '#contract/channel.ts'
import type { IntakeReport } from '#contract/intake.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { useAddress, useHere } from '../../data/here.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Panel } from '../../parts/panel.tsx'

type StepName = keyof typeof words.steps

/** The way to the first delivered event. */
export function Checklist({
  tagId,
  channels,
  intake,
}: {
  tagId: string
  channels: readonly ChannelStatus[]
  intake: IntakeReport
}) {
  const { session } = useHere()
  const address = useAddress()
  const steps: { name: StepName; isDone: boolean; href: string }[] = [
    { name: 'password', isDone: session.person.email !== undefined, href: address('me', {}) },
    {
      name: 'snippet',
      isDone: intake.seen.some(({ call }) => call === 'load' || call === 'tag'),
      href: address('install', { tagId }),
    },
    { name: 'channel', isDone: channels.length > 0, href: address('newChannel', { tagId }) },
    {
      name: 'delivered',
      isDone: channels.some(({ lastDeliveredAt }) => lastDeliveredAt !== undefined),
      href: address('install', { tagId }),
    },
  ]
  return (
    <Panel title={words.checklist} note={words.checklistNote} isFlush>
      <ol class="checklist">
        {steps.map(({ name, isDone, href }) => (
          <li key={name} class={isDone ? 'done' : ''}>
            <Icon of={isDone ? CircleCheck : Circle} label={isDone ? words.stepDone : words.stepOpen} />
            <span>
              <a href={href}>{words.steps[name][0]}</a>
              <small class="soft">{words.steps[name][1]}</small>
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
