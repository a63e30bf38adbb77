import { diffLines } from 'diff'
import type { ValueChange } from '#contract/revision.ts'
import { deploymentWords as words } from '#dashboard/words/en/deployments.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { Code } from '../../parts/code.tsx'

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value, undefined, 2) : `${value}`

const marks = { added: '+', removed: '-', same: ' ' } as const
/** Unchanged lines shown around a change; the others are left out. */
const around = 3

type Part = { kind: keyof typeof marks; lines: string[] }

const partsOf = (before: string, after: string): Part[] =>
  diffLines(before, after).map(({ value, added, removed }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    lines: value.replace(/\n$/, '').split('\n'),
  }))

/** The first and last lines of an unchanged part, and the number of lines left out between them. */
function shorten(lines: readonly string[]): (string | number)[] {
  const hidden = lines.length - 2 * around
  return hidden > 1 ? [...lines.slice(0, around), hidden, ...lines.slice(-around)] : [...lines]
}

/** A line diff of two texts: signs as well as colours mark additions and removals. */
function LineDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const parts = partsOf(before, after)
  const countOf = (kind: Part['kind']) =>
    parts.reduce((sum, part) => sum + (part.kind === kind ? part.lines.length : 0), 0)
  return (
    <figure class="stack tight">
      <figcaption class="hint">{words.lines(countOf('added'), countOf('removed'))}</figcaption>
      <div role="group" aria-label={label} tabIndex={0} class="lineDiffBox">
        {parts.map(({ kind, lines }, at) => (
          <pre key={at} class={`diff-${kind}`}>
            {(kind === 'same' ? shorten(lines) : lines)
              .map((line) => (typeof line === 'number' ? `⋯ ${words.sameLines(line)}` : `${marks[kind]} ${line}`))
              .join('\n')}
          </pre>
        ))}
      </div>
    </figure>
  )
}

const Side = ({ of, isHidden }: { of: unknown; isHidden: boolean | undefined }) =>
  of === undefined ? <i class="soft">{frameWords.notSet}</i> : <span>{isHidden ? words.version(of) : textOf(of)}</span>

/** One value before and after; multi-line texts as a line diff. */
function OneValue({ of: { name, before, after, isHidden } }: { of: ValueChange }) {
  const [old, now] = [before ?? '', after ?? ''].map(textOf) as [string, string]
  const label = words.field(name)
  const isLong = !isHidden && (old.includes('\n') || now.includes('\n'))
  return (
    <div class="valueChange">
      <dt>{label}</dt>
      <dd>
        {isLong && before !== undefined ? (
          <LineDiff before={old} after={now} label={label} />
        ) : isLong ? (
          <Code text={now} label={label} isTall />
        ) : (
          <p class="fieldChanges">
            <del>
              <span class="hidden">{words.before} </span>
              <Side of={before} isHidden={isHidden} />
            </del>{' '}
            →{' '}
            <ins>
              <span class="hidden">{words.after} </span>
              <Side of={after} isHidden={isHidden} />
            </ins>
          </p>
        )}
        {isHidden && <p class="hint">{words.secretChanged}</p>}
      </dd>
    </div>
  )
}

/** The changed values of a tag or of one channel. */
export const ValueChanges = ({ of }: { of: readonly ValueChange[] }) => (
  <dl class="stack">
    {of.map((value) => (
      <OneValue key={value.name} of={value} />
    ))}
  </dl>
)
