import { useState } from 'preact/hooks'
import type { Tag } from '#contract/tag.ts'
import { consentSnippets, policyLines, type SnippetKind, snippets, waitsForConsent } from '#dashboard/form/snippet.ts'
import { installWords as words } from '#dashboard/words/en/install.ts'
import { useRead } from '../../data/here.tsx'
import { Code } from '../../parts/code.tsx'
import { Tabs } from '../../parts/inputs.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead, Panel } from '../../parts/panel.tsx'
import { Hosts } from './hosts.tsx'
import { Watching } from './watching.tsx'

/** The call of the banner, for a tag that waits for a consent. */
function ConsentCall({ kind, tag }: { kind: SnippetKind; tag: Tag | undefined }) {
  const text = consentSnippets[kind]
  if (!text || !tag || !waitsForConsent(tag)) return null
  return (
    <>
      <h3>{words.consent}</h3>
      <p class="hint">{words.consentWaits[tag.captureBeforeConsent === 'none' ? 'none' : 'memory']}</p>
      <Code text={text} label={words.consent} />
      <p class="hint">{words.noBanner}</p>
    </>
  )
}

function Snippet({ tagUrl, tag }: { tagUrl: string; tag: Tag | undefined }) {
  const [kind, setKind] = useState<SnippetKind>('page')
  return (
    <Panel
      title={words.snippet}
      note={words.hints[kind]}
      actions={<Tabs label={words.snippet} of={words.kinds} value={kind} onChange={setKind} />}
    >
      <Code text={snippets[kind](tagUrl)} label={words.snippet} isTall />
      <ConsentCall kind={kind} tag={tag} />
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

function Install({ tagId, name, tagUrl }: { tagId: string; name: string; tagUrl: string }) {
  const tag = useRead(['tag', tagId], (api) => api.readTag({ tagId }), { everyMs: 30_000 })
  return (
    <>
      <PageHead title={words.title(name)} />
      <div class="columns installColumns">
        <div class="stack">
          <Snippet tagUrl={tagUrl} tag={tag.data} />
          <Hosts tagId={tagId} reading={tag} />
        </div>
        <Watching tagId={tagId} isWaiting={tag.data !== undefined && waitsForConsent(tag.data)} />
      </div>
    </>
  )
}

/** What the site needs, and whether it is there. */
export default tagPage(Install)
