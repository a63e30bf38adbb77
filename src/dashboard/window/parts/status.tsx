import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CirclePause,
  CircleX,
  Clock,
  FlaskConical,
  Hourglass,
  type IconNode,
  KeyRound,
  PencilLine,
  ServerOff,
  TriangleAlert,
} from 'lucide'
import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { Icon } from './icon.tsx'

export type Tone = 'good' | 'wait' | 'bad' | 'none'

const looks: Record<DeliveryStatus, { icon: IconNode; tone: Tone }> = {
  held: { icon: Hourglass, tone: 'wait' },
  pending: { icon: Clock, tone: 'wait' },
  delivered: { icon: CircleCheck, tone: 'good' },
  simulated: { icon: FlaskConical, tone: 'none' },
  skipped: { icon: CircleDashed, tone: 'none' },
  refused: { icon: Ban, tone: 'bad' },
  dead: { icon: CircleX, tone: 'bad' },
}
export const toneOf = (status: DeliveryStatus): Tone => looks[status].tone

/** Word, icon and colour. */
export function Mark({ icon, tone, children }: { icon: IconNode; tone: Tone; children: string }) {
  return (
    <span class={`mark ${tone}`}>
      <Icon of={icon} />
      <span>{children}</span>
    </span>
  )
}

/** The status of a delivery with its reason. `text` replaces the words: "3 delivered". */
export function Status({
  of,
  reason,
  text,
}: {
  of: DeliveryStatus
  reason?: DeliveryReason | undefined
  text?: string
}) {
  const { icon, tone } = looks[of]
  return (
    <Mark icon={icon} tone={tone}>
      {text ?? statusWords.both(of, reason)}
    </Mark>
  )
}

export type ChannelStateName = keyof typeof statusWords.channel
const channelLooks: Record<ChannelStateName, { icon: IconNode; tone: Tone }> = {
  ok: { icon: CircleCheck, tone: 'good' },
  paused: { icon: CirclePause, tone: 'wait' },
  keyRejected: { icon: KeyRound, tone: 'bad' },
  vendorDown: { icon: ServerOff, tone: 'bad' },
  throttled: { icon: TriangleAlert, tone: 'wait' },
  draft: { icon: PencilLine, tone: 'none' },
  unknown: { icon: CircleHelp, tone: 'none' },
}

export function ChannelState({ of }: { of: ChannelStateName }) {
  const { icon, tone } = channelLooks[of]
  return (
    <Mark icon={icon} tone={tone}>
      {statusWords.channel[of]}
    </Mark>
  )
}
