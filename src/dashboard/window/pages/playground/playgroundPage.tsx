import { Play } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import type { Script } from '#contract/script.ts'
import type { SimulatedEvent } from '#contract/simulate.ts'
import { issuesOf } from '#dashboard/api/problem.ts'
import { messageText } from '#dashboard/explain/curl.ts'
import { starterCode } from '#dashboard/form/starterCode.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { playgroundWords as words } from '#dashboard/words/en/playground.ts'
import { useMay } from '../../data/here.tsx'
import { useQueryState, useScripts } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { OnceDialog } from '../../parts/formDialog.tsx'
import { CheckRow, Options, Tabs, TextField } from '../../parts/inputs.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'
import { Editor } from './editor.tsx'
import { Inputs } from './inputs.tsx'
import {
  brokenFields,
  type CodeKind,
  codeVariables,
  firstDraft,
  type PlaygroundDraft,
  useRun,
  useSaveCode,
} from './usePlayground.ts'

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

/** The results of the last run. */
const Results = ({ of }: { of: readonly SimulatedEvent[] | undefined }) => (
  <Panel title={words.results}>
    <div role="status" class="stack">
      {of ? of.map((each) => <Result key={each.eventId} of={each} />) : <p class="soft">{words.before}</p>}
    </div>
  </Panel>
)

const isCode = ({ providerId }: Script) => providerId === 'playground' || providerId === 'webhook'

type ChooseProps = {
  scripts: readonly Script[]
  script: Script | undefined
  draft: PlaygroundDraft
  onKind: (kind: CodeKind) => void
  onScript: (scriptId: string) => void
}

/** Chooses new code of a kind, or a channel's code. */
function Choose({ scripts, script, draft, onKind, onScript }: ChooseProps) {
  return (
    <div class="row filters">
      <label class="selectFilter">
        <span class="hidden">{frameWords.title.channel}</span>
        <select value={script?.scriptId ?? ''} onChange={(event) => onScript(event.currentTarget.value)}>
          <Options
            of={[['', words.newCode], ...scripts.filter(isCode).map((each) => [each.scriptId, each.name] as const)]}
          />
        </select>
      </label>
      {!script && <Tabs label={words.kind} of={words.kinds} value={draft.kind} onChange={onKind} />}
    </div>
  )
}

/** The server's message without subject and position, which the page shows in its own words. */
const bareMessage = (message: string) =>
  message.replace(/^The code /, '').replace(/:? ?line \d+(?:, column \d+)?\.?$/, '')

/** The issues of the code, each with its line; else the message of the refusal. */
function CodeProblem({ error }: { error: unknown }) {
  const issues = issuesOf(error)
  if (issues.length === 0) return <ProblemLine error={error} />
  return (
    <div role="alert">
      {issues.map(({ path, message, line, column }) => (
        <p key={path} class="fieldIssue">
          {line !== undefined
            ? words.codeIssue(bareMessage(message), line, column)
            : /^(secrets|code)\b/.test(path)
              ? message
              : `${path} ${message}`}
        </p>
      ))}
    </div>
  )
}

/** Whether a new webhook may be called without a token. */
const OpenChoice = ({ isPublic, onChange }: { isPublic: boolean; onChange: (isPublic: boolean) => void }) => (
  <div class="field">
    <CheckRow label={words.isPublic} value={isPublic} onChange={onChange} />
    <p class={isPublic ? 'fieldIssue' : 'hint'}>{isPublic ? words.publicWarning : words.tokenHint}</p>
  </div>
)

type SaveProps = {
  tagId: string
  draft: PlaygroundDraft
  script: Script | undefined
  /** Receives the error of a refused save, to mark it in the code. */
  onError: (error: unknown) => void
}

function Save({ tagId, draft, script, onError }: SaveProps) {
  const { why } = useMay('script:write', 'secret:write')
  const [name, setName] = useState('')
  const [isPublic, setPublic] = useState(false)
  const isWebhook = draft.kind === 'webhook'
  const { action, isSaved, save, made, open } = useSaveCode({ tagId, draft, script, isPublic })
  useEffect(() => onError(action.error), [action.error])
  const reason = why ?? (crypto.subtle ? undefined : words.noCrypto)
  const isNamed = script !== undefined || name.trim() !== ''
  const run = (shouldDeploy: boolean) => void save(shouldDeploy, name.trim())
  return (
    <Panel title={script ? script.name : words.saveNew}>
      {!script && <TextField label={words.name} value={name} onChange={setName} />}
      {isWebhook && !script && <OpenChoice isPublic={isPublic} onChange={setPublic} />}
      <CodeProblem error={action.error} />
      <div class="row">
        <Button why={reason} isBusy={action.isBusy} isDisabled={!isNamed} onClick={() => run(false)}>
          {frameWords.saveDraft}
        </Button>
        <Button variant="primary" why={reason} isBusy={action.isBusy} isDisabled={!isNamed} onClick={() => run(true)}>
          {frameWords.saveDeploy}
        </Button>
        <span class="saved" role="status">
          {isSaved ? frameWords.saved : ''}
        </span>
      </div>
      {made && (
        <OnceDialog
          title={words.madeTitle}
          note={made.token ? words.madeNote : words.madePublicNote}
          values={[
            [frameWords.address, made.url] as const,
            ...(made.token ? [[frameWords.token, made.token] as const] : []),
          ]}
          onClose={open}
        />
      )}
    </Panel>
  )
}

/** The draft of the page; a channel's draft starts with its saved code. */
const draftOf = (script: Script | undefined): PlaygroundDraft => {
  const kind: CodeKind = script?.providerId === 'webhook' ? 'webhook' : 'playground'
  const code = script?.secrets?.[codeVariables[kind]]?.value
  return { ...firstDraft(), kind, ...(code !== undefined && { code }) }
}

/** The line of an error in the code. */
const markOf = (error: { line?: number | undefined; message: string } | undefined) =>
  error?.line === undefined ? undefined : { line: error.line, message: error.message }

type BenchProps = {
  tagId: string
  scripts: readonly Script[]
  script: Script | undefined
  onScript: (scriptId: string) => void
}

function Bench({ tagId, scripts, script, onScript }: BenchProps) {
  const [draft, setDraft] = useState(() => draftOf(script))
  const { why } = useMay('script:write')
  const { action, results, run } = useRun(draft, script)
  const error = results?.find((result) => result.error)?.error
  const [saveError, setSaveError] = useState<unknown>()
  const codeIssue = [...issuesOf(action.error), ...issuesOf(saveError)].find(({ line }) => line !== undefined)
  const isBroken = Object.keys(brokenFields(draft)).length > 0
  const setKind = (kind: CodeKind) => setDraft({ ...draft, kind, code: starterCode[kind] })
  return (
    <>
      <Choose scripts={scripts} script={script} draft={draft} onKind={setKind} onScript={onScript} />
      <div class="columns formColumns">
        <div class="stack">
          <Panel
            title={frameWords.code}
            note={words.kindHints[draft.kind]}
            actions={
              <Button
                variant="primary"
                icon={Play}
                why={why}
                isBusy={action.isBusy}
                isDisabled={isBroken}
                onClick={() => void run()}
              >
                {action.isBusy ? words.running : words.run}
              </Button>
            }
          >
            <Editor
              key={draft.kind}
              text={draft.code}
              mark={markOf(error ?? codeIssue)}
              onChange={(code) => setDraft((before) => ({ ...before, code }))}
              onRun={() => void run()}
            />
            <CodeProblem error={action.error} />
          </Panel>
          <Save tagId={tagId} draft={draft} script={script} onError={setSaveError} />
        </div>
        <div class="stack">
          <Inputs tagId={tagId} draft={draft} onChange={setDraft} hasKept={script !== undefined} />
          <Results of={results} />
        </div>
      </div>
    </>
  )
}

function Playground({ tagId }: { tagId: string }) {
  const [query, setQuery] = useQueryState()
  const scripts = useScripts(tagId)
  return (
    <>
      <PageHead title={frameWords.title.playground} below={words.intro} />
      <View of={scripts} skeleton={<Skeleton rows={8} />}>
        {(read) => (
          <Bench
            key={query.channel}
            tagId={tagId}
            scripts={read.scripts}
            script={read.scripts.find(({ scriptId }) => scriptId === query.channel)}
            onScript={(channel) => setQuery({ ...query, channel: channel || undefined })}
          />
        )}
      </View>
    </>
  )
}

/** The team's own code: written here, tested with events, and saved as a channel. */
export default tagPage(Playground)
