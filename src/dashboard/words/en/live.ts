import { count, frequency, plural } from '../format.ts'

/** Texts of the live page. */
export const liveWords = {
  states: { connecting: 'connecting', open: 'watching', waiting: 'connection lost, trying again', closed: 'stopped' },
  paused: 'paused',
  pause: 'Pause',
  resume: 'Go on',
  perSecond: (n: number) => `${frequency(n)} events/s`,
  newRows: (n: number) => `${count(n)} new`,
  refused: 'Call refused',
  noOrigin: 'no Origin',
  allow: 'Allow it',
  allowed: 'Allowed',
  allowTitle: (origin: string) => `Allow ${origin}?`,
  allowText: 'Pages of this origin may then send events to the tag. Others stay refused.',
  summary: (added: number, failed: number) =>
    failed > 0
      ? `${plural(added, 'new event', 'new events')}, ${count(failed)} failed`
      : plural(added, 'new event', 'new events'),
  emptyTitle: 'Waiting for events',
  empty: 'Rows appear here as they happen: events with each channel’s decision, and calls that were refused.',
  noMatch: 'Nothing that came matches these filters',
  stopped: 'Watching has stopped.',
  again: 'Watch again',
}
