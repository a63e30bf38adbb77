import { ApiError } from '#contract/client.ts'
import { WaitError } from './sessionClient.ts'

/** What a page does about a failed call. */
export type Problem =
  | { kind: 'offline' }
  | { kind: 'signedOut' }
  | { kind: 'noPermission'; message: string; missing: string[] }
  | { kind: 'gone'; message: string; code: string | undefined }
  | { kind: 'changedMeanwhile'; message: string }
  | { kind: 'wait'; message: string; code: string | undefined; retryAfterS: number }
  | { kind: 'failed'; message: string; code: string | undefined; statusCode: number | undefined }

const textsOf = (value: unknown) => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [])

/** An ApiError has the server's answer; any other error is treated as a network failure. */
export function problemOf(error: unknown): Problem {
  if (error instanceof WaitError)
    return { kind: 'wait', message: error.message, code: error.error.error, retryAfterS: error.retryAfterS }
  if (error instanceof ApiError) {
    const { statusCode, message, error: object } = error
    const code = object.error
    if (statusCode === 401) return { kind: 'signedOut' }
    if (code === 'SCOPE_MISSING') return { kind: 'noPermission', message, missing: textsOf(object.attributes?.missing) }
    if (code === 'CHANGED_MEANWHILE') return { kind: 'changedMeanwhile', message }
    if (statusCode === 404 || code === 'SCRIPT_OR_TAG_NOT_FOUND' || code === 'TEAM_REFUSED')
      return { kind: 'gone', message, code }
    return { kind: 'failed', message, code, statusCode }
  }
  if (error instanceof TypeError && /fetch|network|load/i.test(error.message)) return { kind: 'offline' }
  return {
    kind: 'failed',
    message: error instanceof Error ? error.message : String(error),
    code: undefined,
    statusCode: undefined,
  }
}

/** Whether a read is retried: at most three times, and only if the answer may change. */
export function shouldRetry(failures: number, error: unknown): boolean {
  const { kind, ...rest } = problemOf(error)
  if (kind === 'offline') return failures < 3
  if (kind === 'wait') return failures < 5
  return kind === 'failed' && ((rest as { statusCode?: number }).statusCode ?? 0) >= 500 && failures < 2
}

/** The delay before the next try: the server's `Retry-After`, else doubling from 1 s to 30 s. */
export function retryDelayMs(failures: number, error: unknown): number {
  const problem = problemOf(error)
  return problem.kind === 'wait' ? problem.retryAfterS * 1_000 : Math.min(1_000 * 2 ** failures, 30_000)
}

/** An issue of a refused form; for code, with its position. */
type ShownIssue = { path: string; message: string; line?: number; column?: number }

const numbersOf = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'number'))

/** The issues of a refused form by path, with the leading `body.` or `secrets.` kept as the server sends it. */
export function issuesOf(error: unknown): ShownIssue[] {
  if (!(error instanceof ApiError)) return []
  const issues = error.error.attributes?.issues
  if (!Array.isArray(issues)) return []
  return issues.flatMap(({ path, message, line, column }: Record<string, unknown>) =>
    typeof message === 'string' ? [{ path: String(path ?? ''), message, ...numbersOf({ line, column }) }] : [],
  )
}

/** The objections of the team's hooks to a change; empty for any other problem. */
export function hookErrorsOf(error: unknown): { url: string; message: string }[] {
  return error instanceof ApiError ? (error.error.hookErrors ?? []) : []
}

/** The first issue of each field: `allowedOrigins.1` belongs to `allowedOrigins`. Issues without a field have an empty name. */
export function issuesByName(
  issues: readonly { path: string; message: string }[],
  names: readonly string[],
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { path, message } of issues) {
    const name = path.replace(/^body\./, '').split('.')[0]!
    if (names.includes(name)) found[name] ??= message
    else found[''] ??= path ? `${path}: ${message}` : message
  }
  return found
}
