import { CircleCheck, CircleX } from 'lucide'
import type { Client } from '#contract/client.ts'
import type { Run } from '#contract/webhookRun.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { duration } from '#dashboard/words/format.ts'
import { callsOf, keyOf, useAddress, useHere } from '../../data/here.tsx'
import { usePaged } from '../../data/query.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty, ProblemNote, Skeleton } from '../../parts/view.tsx'

/** As in the health of the channel. */
const isFailed = ({ status, error }: Run) => status >= 500 || error !== undefined

/** What came, what the code logged, and the events that it made. */
function RunDetails({ tagId, run: { request, logs, error, eventIds } }: { tagId: string; run: Run }) {
  const address = useAddress()
  return (
    <div class="stack">
      {error && (
        <p class="vendorSays">
          {error.message} {error.line !== undefined && <b>{words.runLine(error.line, error.column)}</b>}
        </p>
      )}
      {request ? (
        <>
          <h3>{words.runRequest}</h3>
          <Code
            label={words.runRequest}
            text={[`${request.method} ${request.path}`, request.contentType, request.body && `\n${request.body}`]
              .filter(Boolean)
              .join('\n')}
          />
        </>
      ) : (
        <p class="soft">{words.runHidden}</p>
      )}
      <h3>{words.runLogs}</h3>
      {logs.length === 0 ? (
        <p class="soft">{words.runNoLogs}</p>
      ) : (
        <Code
          label={words.runLogs}
          text={logs.map(({ level, text }) => (level === 'error' ? `! ${text}` : text)).join('\n')}
        />
      )}
      {eventIds.length > 0 && (
        <p>
          {words.runEvents(eventIds.length)}{' '}
          {eventIds.map((eventId) => (
            <a key={eventId} class="runEvent" href={address('event', { tagId, eventId })}>
              <code>{eventId}</code>
            </a>
          ))}
        </p>
      )}
    </div>
  )
}

function OneRun({ tagId, run }: { tagId: string; run: Run }) {
  const isBad = isFailed(run)
  return (
    <li>
      <details class={`run${isBad ? ' bad' : ''}`}>
        <summary>
          <Mark icon={isBad ? CircleX : CircleCheck} tone={isBad ? 'bad' : 'good'}>
            {`HTTP ${run.status}`}
          </Mark>
          <span class="runText">
            {run.error ? (
              <>
                {run.error.message}{' '}
                {run.error.line !== undefined && <b>{words.runLine(run.error.line, run.error.column)}</b>}
              </>
            ) : (
              <span class="soft">{words.runMade(run.eventIds.length)}</span>
            )}
          </span>
          <span class="number soft">{duration(run.durationMs)}</span>
          <Time at={run.at} />
        </summary>
        <RunDetails tagId={tagId} run={run} />
      </details>
    </li>
  )
}

/** The calls of a webhook, newest first, each with its request, its logs and the line of its error. */
export function Runs({ tagId, scriptId }: { tagId: string; scriptId: string }) {
  const here = useHere()
  const runs = usePaged<Awaited<ReturnType<Client['listRuns']>>, Run>({
    queryKey: keyOf(here, ['runs', scriptId]),
    read: (cursor, signal) => callsOf(here, signal).listRuns({ scriptId, limit: 25, ...(cursor && { cursor }) }),
    rowsOf: ({ runs: rows }) => rows,
    nextOf: ({ next }) => next,
    everyMs: 10_000,
  })
  return (
    <div id="runs">
      <Panel title={words.runs} note={words.runsNote} isFlush>
        {runs.isLoading ? (
          <Skeleton rows={3} />
        ) : runs.error ? (
          <ProblemNote error={runs.error} onRetry={runs.reload} />
        ) : runs.rows.length === 0 ? (
          <Empty title={words.noRuns}>{words.noRunsText}</Empty>
        ) : (
          <ul class="runs">
            {runs.rows.map((run) => (
              <OneRun key={run.runId} tagId={tagId} run={run} />
            ))}
          </ul>
        )}
        {runs.hasMore && (
          <p class="listFoot">
            <Button isBusy={runs.isLoadingMore} onClick={runs.loadMore}>
              {words.moreRuns}
            </Button>
          </p>
        )}
      </Panel>
    </div>
  )
}
