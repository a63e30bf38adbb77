import { CircleAlert, CircleCheck, Clock } from 'lucide'
import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import type { HostState, Tag } from '#contract/tag.ts'
import { policyLines, type SnippetKind, snippets } from '#dashboard/form/snippet.ts'
import { installWords as words } from '#dashboard/words/en/install.ts'
import { callsOf, keyOf, useHere, useMay, useRead } from '../../data/here.tsx'
import { queries, type Reading } from '../../data/query.ts'
import { OfTag } from '../../data/tag.tsx'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Mark } from '../../parts/status.tsx'
import { ProblemLine, Skeleton, View } from '../../parts/view.tsx'
import { Watching } from './watching.tsx'

function Snippet({ tagUrl }: { tagUrl: string }) {
  const [kind, setKind] = useState<SnippetKind>('page')
  return (
    <Panel
      title={words.snippet}
      note={words.hints[kind]}
      actions={
        <div class="tabs" role="group" aria-label={words.snippet}>
          {(Object.keys(snippets) as SnippetKind[]).map((each) => (
            <button key={each} type="button" aria-pressed={each === kind} onClick={() => setKind(each)}>
              {words.kinds[each]}
            </button>
          ))}
        </div>
      }
    >
      <Code text={snippets[kind](tagUrl)} label={words.snippet} isTall />
      {kind !== 'server' && kind !== 'typescript' && (
        <>
          <h3>{words.csp}</h3>
          <p class="hint">{words.cspHint}</p>
          <Code text={policyLines(tagUrl)} label={words.csp} />
        </>
      )}
    </Panel>
  )
}

const hostLooks = {
  ready: { icon: CircleCheck, tone: 'good' },
  missing: { icon: CircleAlert, tone: 'bad' },
  unproved: { icon: Clock, tone: 'wait' },
} as const

function Host({ of: { host, state, record, proof } }: { of: HostState }) {
  return (
    <li class="host">
      <div class="hostHead">
        <b>{host}</b>
        <Mark {...hostLooks[state]}>{words.hostState(state)}</Mark>
      </div>
      {state !== 'ready' && (
        <>
          <p class="hint">{words.record}</p>
          <Code text={record} label={words.record} />
          {state === 'unproved' && (
            <>
              <p class="hint">{words.proof}</p>
              <Code text={proof} label={words.proof} />
            </>
          )}
        </>
      )}
    </li>
  )
}

/** Adds a host name to those of the tag. */
function HostForm({ tagId, hosts }: { tagId: string; hosts: readonly string[] }) {
  const here = useHere()
  const { why } = useMay('tag:write')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const add = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const host = `${new FormData(form).get('host')}`.trim()
    setBusy(true)
    setError(undefined)
    try {
      const tag = await callsOf(here).updateTag({ tagId, body: { hosts: [...hosts, host] } })
      queries.setQueryData(keyOf(here, ['tag', tagId]), tag)
      form.reset()
    } catch (problem) {
      setError(problem)
    }
    setBusy(false)
  }
  return (
    <>
      <form class="inlineForm" onSubmit={add}>
        <input
          type="text"
          name="host"
          aria-label={words.host}
          placeholder={words.hostPlaceholder}
          required
          maxLength={253}
          autocomplete="off"
          spellcheck={false}
        />
        <Button type="submit" why={why} isBusy={isBusy}>
          {words.addHost}
        </Button>
      </form>
      <ProblemLine error={error} />
    </>
  )
}

/** Host names of the customer, each with its DNS records and state. */
function Hosts({ tagId, reading }: { tagId: string; reading: Reading<Tag> }) {
  return (
    <Panel
      title={words.hosts}
      note={words.hostsHint}
      actions={
        <Button isSmall look="quiet" onClick={() => void reading.refetch()}>
          {words.look}
        </Button>
      }
    >
      <View of={reading} skeleton={<Skeleton rows={1} />}>
        {({ hostStates = [] }) =>
          hostStates.length === 0 ? (
            <p class="soft">{words.noHosts}</p>
          ) : (
            <ul class="hosts">
              {hostStates.map((state) => (
                <Host key={state.host} of={state} />
              ))}
            </ul>
          )
        }
      </View>
      <HostForm tagId={tagId} hosts={reading.data?.hosts ?? []} />
    </Panel>
  )
}

function Install({ tagId, name, tagUrl }: { tagId: string; name: string; tagUrl: string }) {
  const tag = useRead(['tag', tagId], (api: Client) => api.readTag({ tagId }), { everyMs: 30_000 })
  return (
    <>
      <PageHead title={words.title(name)} />
      <div class="installColumns">
        <div>
          <Snippet tagUrl={tagUrl} />
          <Hosts tagId={tagId} reading={tag} />
        </div>
        <Watching tagId={tagId} />
      </div>
    </>
  )
}

/** What the site needs, and whether it is there. */
export default function InstallPage() {
  return <OfTag>{(tag) => <Install key={tag.tagId} {...tag} />}</OfTag>
}
