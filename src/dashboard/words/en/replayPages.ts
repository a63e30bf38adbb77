import { list, plural } from '../format.ts'

/** Texts of the pages of replays. */
export const replayPageWords = {
  newTitle: 'Send events again',
  names: 'Event names',
  namesHint: 'Separated by commas. Empty means all.',
  channelsHint: 'None chosen means all.',
  noneTitle: 'Nothing was sent again yet',
  none: 'Events that a channel did not accept can be sent again: choose them above and count first.',
  noneViewer: 'Events that a channel did not accept can be sent again by an editor or an owner.',
  columns: { when: 'Started', who: 'By', what: 'Deliveries', state: 'State', range: 'Events received' },
  what: (statuses: readonly string[], names: readonly string[] | undefined) =>
    names ? `${list(statuses)}, of ${list(names)}` : list(statuses),
  title: (at: string) => `Replay of ${at}`,
  progress: 'Progress',
  outcome: 'Outcome by channel',
  byChannel: { channel: 'Channel', matched: 'Matched', replayed: 'Sent again', left: 'Left out', now: 'Now' },
  stopTitle: 'Stop this replay?',
  stopText: 'Deliveries that were sent stay sent. The others keep their status.',
  again: 'Again with this filter',
  facts: { by: 'By', range: 'Events received', statuses: 'Deliveries', names: 'Event names', ended: 'Ended' },
  all: 'all',
  reading: (matched: number) =>
    `${plural(matched, 'delivery matches', 'deliveries match')} so far; events are still read.`,
}
