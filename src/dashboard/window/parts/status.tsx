import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleMinus,
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
import type { ChannelStatus } from '#contract/channel.ts'
import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import { statusWords } from '#dashboard/words/en/status.ts'
import { Icon } from './icon.tsx'

export type Tone = 'good' | 'wait' | 'bad' | 'none'

const statusMarks: Record<DeliveryStatus, { icon: IconNode; tone: Tone }> = {
  held: { icon: Hourglass, tone: 'wait' },
  pending: { icon: Clock, tone: 'wait' },
  delivered: { icon: CircleCheck, tone: 'good' },
  simulated: { icon: FlaskConical, tone: 'none' },
  skipped: { icon: CircleDashed, tone: 'none' },
  refused: { icon: Ban, tone: 'bad' },
  dead: { icon: CircleX, tone: 'bad' },
}
export const toneOf = (status: DeliveryStatus): Tone => statusMarks[status].tone

/** Word, icon and colour. */
export function Mark({ icon, tone, children }: { icon: IconNode; tone: Tone; children: string }) {
  return (
    <span class={`mark ${tone}`}>
      <Icon of={icon} />
      <span>{children}</span>
    </span>
  )
}

type StatusProps = { of: DeliveryStatus; reason?: DeliveryReason | undefined; text?: string }

/** The status of a delivery with its reason. `text` replaces the words: "3 delivered". */
export function Status({ of, reason, text }: StatusProps) {
  const { icon, tone } = statusMarks[of]
  return (
    <Mark icon={icon} tone={tone}>
      {text ?? statusWords.both(of, reason)}
    </Mark>
  )
}

type MarkProps = { icon: IconNode; tone: Tone }
const channelMarks: Partial<Record<ChannelStatus['state'], MarkProps>> = {
  paused: { icon: CirclePause, tone: 'wait' },
  keyRejected: { icon: KeyRound, tone: 'bad' },
  vendorDown: { icon: ServerOff, tone: 'bad' },
  draft: { icon: PencilLine, tone: 'none' },
}
const healthMarks: Record<ChannelStatus['health'], MarkProps> = {
  stopped: { icon: CirclePause, tone: 'wait' },
  failing: { icon: TriangleAlert, tone: 'bad' },
  waiting: { icon: Clock, tone: 'wait' },
  ok: { icon: CircleCheck, tone: 'good' },
  quiet: { icon: CircleMinus, tone: 'none' },
}

export const HealthMark = ({ of, children }: { of: ChannelStatus['health']; children: string }) => (
  <Mark {...healthMarks[of]}>{children}</Mark>
)

/** The health of a channel; if it is stopped or not live, the reason. */
export function ChannelHealth({ of: { state, health } }: { of: Pick<ChannelStatus, 'state' | 'health'> }) {
  const own = health === 'stopped' || health === 'quiet' ? channelMarks[state] : undefined
  const word = own ? statusWords.channel[state] : statusWords.health[health]
  return <Mark {...(own ?? healthMarks[health])}>{word}</Mark>
}
