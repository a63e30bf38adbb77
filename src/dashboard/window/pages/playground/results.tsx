import type { SimulatedEvent } from '#contract/simulate.ts'
import { messageText } from '#dashboard/explain/curl.ts'
import { playgroundWords as words } from '#dashboard/words/en/playground.ts'
import { Code } from '../../parts/code.tsx'
import { Panel } from '../../parts/panel.tsx'

const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? ''))

function Result({ of: { error, logs, requests, calls = [], result } }: { of: SimulatedEvent }) {
  return (
    <div class="stack">
      {error && (
        <p class="vendorSays" role="alert">
          <b>
            {words.error}
            {words.at(error.line)}
          </b>{' '}
          {error.message}
        </p>
      )}
      <h3>{words.requests(requests.length)}</h3>
      {requests.map(({ method, url, headers, body, refused }, at) => (
        <div key={at} class="stack tight">
          {refused && <p class="fieldIssue">{words.refused}</p>}
          <Code text={messageText(`${method} ${url}`, headers, body)} label={`${method} ${url}`} />
        </div>
      ))}
      {calls.length > 0 && (
        <>
          <h3>{words.calls}</h3>
          {calls.map(({ name, args }, at) => (
            <Code key={at} text={`${name}(${args.map(textOf).join(', ')})`} label={name} />
          ))}
        </>
      )}
      <h3>{words.logs}</h3>
      {logs.length === 0 ? (
        <p class="soft">{words.noLogs}</p>
      ) : (
        <Code
          text={logs.map(({ level, text }) => (level === 'error' ? `! ${text}` : text)).join('\n')}
          label={words.logs}
        />
      )}
      <h3>{words.result}</h3>
      {result === undefined || result === null ? (
        <p class="soft">{words.noResult}</p>
      ) : (
        <Code text={textOf(result)} label={words.result} />
      )}
    </div>
  )
}

/** What the code did in the last run. */
export const Results = ({ of }: { of: readonly SimulatedEvent[] | undefined }) => (
  <Panel title={words.results}>
    <div role="status" class="stack">
      {of ? of.map((each) => <Result key={each.eventId} of={each} />) : <p class="soft">{words.before}</p>}
    </div>
  </Panel>
)
