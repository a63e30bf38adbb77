import type { FunnelGroup } from '../../chart/funnel.ts'
import type { RangeName } from '../../chart/range.ts'
import { ago, count, duration, frequency, list, plural } from '../format.ts'

const groups: Record<FunnelGroup, string> = {
  delivered: 'Delivered',
  notSent: 'Not sent',
  waiting: 'Waiting',
  failed: 'Failed',
}

type LastHourCounts = { delivered: number; failed: number; runs: number; failedRuns: number }

/** Texts of the overviews and of charts. */
export const overviewWords = {
  range: 'Range',
  rangeName: {
    '1h': 'Last hour',
    '24h': 'Last 24 hours',
    '7d': 'Last 7 days',
    '30d': 'Last 30 days',
  } satisfies Record<RangeName, string>,
  custom: 'Chosen range',
  compare: 'Compare with the previous range',
  tagUrl: 'Tag URL',
  copyTagUrl: 'Copy the tag URL',
  tiles: { events: 'Events', delivered: 'Delivered', answers: 'Vendor answers, p95', waiting: 'Waiting' },
  noBefore: 'Nothing arrived in the previous range, so there is nothing to compare with.',
  perMinute: (n: number) => `${frequency(n)} per minute`,
  ofFinal: (failed: number) => (failed === 0 ? 'none failed, as of now' : `${count(failed)} failed, as of now`),
  oldest: (at: number, now: number) => `oldest ${duration(now - at)}`,
  nothingWaits: 'nothing waits',
  p50: (ms: number) => `median ${duration(ms)}`,
  noAnswers: 'nothing was sent',
  deliveries: 'Deliveries by outcome',
  deliveriesNote: 'Each outcome when it happened. A delivery that is sent again counts again.',
  events: 'Events received',
  deploymentNamed: (name: string) => `deployment ${name}`,
  intake: { accepted: 'Accepted', duplicate: 'Duplicate', rejected: 'Rejected', refused: 'Refused calls' },
  latency: 'Latency',
  latencyKinds: { response: 'Vendor’s answer', delivery: 'Until delivered' },
  percentiles: { p50Ms: 'Median', p95Ms: 'p95', p99Ms: 'p99' },
  failures: 'Failure rate by channel',
  failuresNote: 'Refused or given up, as a share of what ended.',
  noFailures: 'Nothing failed in this range.',
  waitingByChannel: 'Waiting by channel',
  waitingOldest: (at: number, now: number) => `oldest ${ago(at, now)}`,
  chart: 'Chart',
  table: 'Table',
  time: 'Time',
  groups,
  dragHint: 'Drag over the chart to narrow the range. With the keyboard: arrow keys read a point, Enter narrows to it.',
  resetRange: 'Whole range',
  noData: 'Nothing in this range.',
  funnel: 'Where events went',
  funnelNote: 'The current status of every delivery of the events in this range. The parts add up to the total.',
  accepted: 'Accepted',
  duplicate: (n: number) => `${count(n)} duplicate`,
  rejected: (n: number) => `${count(n)} rejected`,
  refused: (n: number) => plural(n, 'call refused', 'calls refused'),
  planned: 'Planned',
  plannedText: (channels: number) => `deliveries to ${plural(channels, 'channel', 'channels')}`,
  columns: {
    rate: 'Delivered',
    p95: 'p95',
    waiting: 'Waiting',
    last: 'Last error',
    trend: 'Trend',
  },
  noChannelsTitle: 'No channel yet',
  noChannels: 'A channel sends the events of this tag to a vendor or to a server of yours.',
  keyRejected: (name: string, since: string | undefined, waiting: number) =>
    `${name}: key rejected${since ? ` since ${since}` : ''}${waiting > 0 ? `, ${plural(waiting, 'event waits', 'events wait')}` : ''}.`,
  vendorDown: (name: string, since: string | undefined) =>
    since ? `${name}: the vendor has not answered since ${since}.` : `${name}: the vendor does not answer.`,
  throttled: (name: string) => `${name}: the vendor asked for fewer calls.`,
  failing: (name: string, { delivered, failed, runs, failedRuns }: LastHourCounts) =>
    `${name}: ${list([
      ...(failed > 0 ? [`${count(failed)} of ${plural(delivered + failed, 'delivery', 'deliveries')}`] : []),
      ...(failedRuns > 0 ? [`${count(failedRuns)} of ${plural(runs, 'call', 'calls')}`] : []),
    ])} failed in the last hour.`,
  drafts: (n: number) => `${plural(n, 'change is', 'changes are')} saved and not live.`,
  needsAction: 'Needs action',
  seeErrors: 'See errors',
  checklist: 'First steps',
  checklistNote: 'Until the first event is delivered.',
  steps: {
    password: ['Set your password', 'So that you can sign in again without the printed link.'],
    snippet: ['Put the snippet in', 'Your site or server begins to send events.'],
    channel: ['Add a channel', 'Where events go.'],
    delivered: ['See an event delivered', 'Send a test event, or use your site.'],
  } as const,
  stepDone: 'done',
  stepOpen: 'to do',
  healthOf: (n: number, all: number, word: string) => (n === all ? word : `${count(n)} of ${count(all)} ${word}`),
  teamTitle: 'Tags',
  teamNote: 'A tag is one site or app with its own event endpoint.',
  noTagsTitle: 'No tag yet',
  noTags:
    'A tag is one site or app with its own event endpoint. The first start makes one named “demo”; the command line and the API make more.',
}
