import { CircleCheck, CircleX } from 'lucide'
import type { Run } from '#contract/webhookRun.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { duration } from '#dashboard/words/format.ts'
import { useAddress, useList } from '../../data/here.tsx'
import { Code } from '../../parts/code.tsx'
import { Paged } from '../../parts/pages.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Empty } from '../../parts/view.tsx'

/** The same rule as for the channel's health. */
const isFailed = ({ status, error }: Run) => status >= 500 || error !== undefined

/** The request, the logs of the code, and the events that it created. */
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
          <span class="cut runText">
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

/** The calls of a webhook, newest first, with request, logs and the line of the error. */
export function Runs({ tagId, scriptId }: { tagId: string; scriptId: string }) {
  const runs = useList(
    ['runs', scriptId],
    (api, at) => api.listRuns({ scriptId, limit: 25, ...at }),
    (page) => page.runs,
    { everyMs: 10_000 },
  )
  return (
    <div id="runs">
      <Panel title={words.runs} note={words.runsNote} isFlush>
        <Paged
          of={runs}
          skeleton={3}
          none={<Empty title={words.noRuns}>{words.noRunsText}</Empty>}
          more={words.moreRuns}
        >
          {(rows) => (
            <ul class="runs">
              {rows.map((run) => (
                <OneRun key={run.runId} tagId={tagId} run={run} />
              ))}
            </ul>
          )}
        </Paged>
      </Panel>
    </div>
  )
}
