/** One wide line per thing that happened: a received event, an attempt, a change, a bug. */
export type Log = (line: { level?: 'info' | 'warn' | 'error'; message: string } & Record<string, unknown>) => void

export const silent: Log = () => {}
