import type { Replay } from '#contract/replay.ts'
import { count, plural } from '../format.ts'

/** Texts of replays. */
export const replayWords = {
  intro: 'First count what would be sent. Counting sends nothing.',
  range: 'Events received',
  from: 'from',
  to: 'to',
  statuses: 'Which deliveries',
  status: { dead: 'failed', refused: 'refused', skipped: 'not sent', simulated: 'simulated', delivered: 'delivered' },
  deliveredWarning: 'Delivered ones may be counted twice at the vendor.',
  count: 'Count',
  counting: 'Counting…',
  start: (n: number) => `Send ${plural(n, 'delivery', 'deliveries')} again`,
  nothing: 'Nothing would be sent.',
  matched: (n: number) => `${plural(n, 'delivery matches', 'deliveries match')}`,
  sentAgain: (n: number) => `${count(n)} are sent again`,
  state: {
    dryRun: 'counted',
    queued: 'queued',
    running: 'reading events',
    sending: 'sending',
    done: 'done',
    stopping: 'stopping',
    stopped: 'stopped',
  } satisfies Record<Replay['state'], string>,
  progress: (done: number, of: number) => `${count(done)} of ${count(of)}`,
  stop: 'Stop',
  partial: 'Not all events are read yet; the numbers grow.',
  wouldSend: 'Sent again',
  leftOut: 'Left out',
}
