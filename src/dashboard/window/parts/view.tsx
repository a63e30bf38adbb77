import { type IconNode, Inbox, Lock, RefreshCw, SearchX, TriangleAlert, WifiOff } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Problem, problemOf } from '#dashboard/api/problem.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import type { Reading } from '../data/query.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

type NoteProps = {
  icon: IconNode
  title: string
  children?: ComponentChildren
  action?: ComponentChildren
  isAlert?: boolean
  /** The note is the whole page: its title is the h1. */
  isPage?: boolean | undefined
}

/** A note for missing content: an icon, a sentence and one action. */
export function Note({ icon, title, children, action, isAlert, isPage }: NoteProps) {
  return (
    <div class="note" role={isAlert ? 'alert' : undefined}>
      <Icon of={icon} />
      {isPage ? (
        <h1 class="noteTitle" id="title" tabIndex={-1}>
          {title}
        </h1>
      ) : (
        <p class="noteTitle">{title}</p>
      )}
      {children && <div class="noteText">{children}</div>}
      {action && <div class="noteAction">{action}</div>}
    </div>
  )
}

type EmptyProps = { title: string; children?: ComponentChildren; action?: ComponentChildren; isPage?: boolean }

export const Empty = ({ title, children, action, isPage }: EmptyProps) => (
  <Note icon={Inbox} title={title} action={action} isPage={isPage}>
    {children}
  </Note>
)

export const NoMatch = ({ title, onClear }: { title: string; onClear: () => void }) => (
  <Note icon={SearchX} title={title} action={<Button onClick={onClear}>{frameWords.clear}</Button>} />
)

/** The message of a problem, and its code. */
function ProblemText({ problem }: { problem: Problem }) {
  switch (problem.kind) {
    case 'offline':
      return <p>{frameWords.offline}</p>
    case 'signedOut':
      return null
    case 'wait':
      return <p>{frameWords.waiting(problem.retryAfterS)}</p>
    case 'gone':
      return (
        <p>
          {problem.message} {frameWords.gone}
        </p>
      )
    case 'noPermission':
    case 'changedMeanwhile':
      return <p>{problem.message}</p>
    case 'failed':
      return (
        <p>
          {problem.message} {problem.code && <code>{problem.code}</code>}
        </p>
      )
  }
}

const icons: Partial<Record<Problem['kind'], IconNode>> = { offline: WifiOff, noPermission: Lock, gone: SearchX }
const titles: Partial<Record<Problem['kind'], string>> = {
  noPermission: frameWords.noPermissionTitle,
  gone: frameWords.goneTitle,
}

/** A panel that could not be loaded. Other panels stay. */
export function ProblemNote({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const problem = problemOf(error)
  if (problem.kind === 'signedOut') return <Skeleton rows={3} />
  const isFinal = problem.kind === 'gone' || problem.kind === 'noPermission'
  return (
    <Note
      icon={icons[problem.kind] ?? TriangleAlert}
      title={titles[problem.kind] ?? frameWords.failed}
      isAlert
      action={
        !isFinal &&
        onRetry && (
          <Button icon={RefreshCw} onClick={onRetry}>
            {frameWords.tryAgain}
          </Button>
        )
      }
    >
      <ProblemText problem={problem} />
    </Note>
  )
}

/** The message of a failed action, beside its button. */
export function ProblemLine({ error }: { error: unknown }) {
  if (!error) return null
  return (
    <div class="inputRow problemLine" role="alert">
      <Icon of={TriangleAlert} />
      <ProblemText problem={problemOf(error)} />
    </div>
  )
}

/** Placeholder rows in the final size. They appear after 150 ms, so that a fast answer does not flicker. */
export function Skeleton({ rows, height = 'row' }: { rows: number; height?: 'row' | 'chart' | 'tile' | 'line' }) {
  const [isVisible, setVisible] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setVisible(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div class={`skeleton ${height}${isVisible ? ' visible' : ''}`} aria-busy="true">
      <span class="hidden">{frameWords.loading}</span>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} class="bone" />
      ))}
    </div>
  )
}

type ViewProps<Data> = {
  of: Reading<Data>
  skeleton: ComponentChildren
  /** Shown if there is no such object; by default the problem. */
  gone?: ComponentChildren
  children: (data: Data) => ComponentChildren
}

/** Shows a result in all its states: cached data, else the skeleton, else the problem. */
export function View<Data>({ of, skeleton, gone, children }: ViewProps<Data>) {
  const { data, error, refetch } = of
  if (data !== undefined) return <>{children(data)}</>
  if (error && gone && problemOf(error).kind === 'gone') return <>{gone}</>
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />
  return <>{skeleton}</>
}
