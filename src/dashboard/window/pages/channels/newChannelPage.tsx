import { Search } from 'lucide'
import { useState } from 'preact/hooks'
import type { ProviderRow } from '#dashboard/form/channelForm.ts'
import { catalogue, monogramOf } from '#dashboard/list/catalogue.ts'
import { channelWords as words } from '#dashboard/words/en/channels.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useAddress } from '../../data/here.tsx'
import { useManifest, useParam } from '../../data/tag.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Empty, Note, Skeleton, View } from '../../parts/view.tsx'
import { ChannelForm } from './channelForm.tsx'

/** Every provider by kind, searchable by name and synonym. */
function Picker({ tagId, providers }: { tagId: string; providers: readonly ProviderRow[] }) {
  const address = useAddress()
  const [query, setQuery] = useState('')
  const groups = catalogue(providers, query)
  return (
    <>
      <label class="bigSearch">
        <Icon of={Search} />
        <input
          type="search"
          data-filter=""
          placeholder={words.searchHint}
          aria-label={words.search}
          value={query}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
      </label>
      {groups.length === 0 && <Note icon={Search} title={words.noProvider} />}
      {groups.map(({ kind, providers: found }) => (
        <section key={kind} class="stack tight providerGroup" aria-labelledby={`kind-${kind}`}>
          <h2 id={`kind-${kind}`}>{words.kind[kind]}</h2>
          <ul class="providers">
            {found.map(({ value, label, consentCategory = [] }) => (
              <li key={value}>
                <a href={address('newChannel', { tagId, ...(value && { providerId: value }) })}>
                  <span class={`providerMark kind-${kind}`} aria-hidden="true">
                    {monogramOf(label ?? value ?? '')}
                  </span>
                  <span class="providerName">
                    <b>{label ?? value}</b>
                    <small class="soft">{consentCategory[0] && words.category(consentCategory[0])}</small>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  )
}

function NewChannel({ tagId }: { tagId: string }) {
  const providerId = useParam('providerId')
  const manifest = useManifest()
  const address = useAddress()
  const back = <a href={address('channels', { tagId })}>{frameWords.title.channels}</a>
  return (
    <View of={manifest} skeleton={<Skeleton rows={8} />}>
      {({ providers = [] }) => {
        const provider = providers.find(({ value }) => value === providerId)
        if (provider)
          return (
            <>
              <PageHead above={back} title={words.addNamed(provider.label ?? providerId)} />
              <ChannelForm key={providerId} tagId={tagId} provider={provider} />
            </>
          )
        if (providerId) return <Empty title={words.unknownProvider} action={back} />
        return (
          <>
            <PageHead
              above={back}
              title={frameWords.title.newChannel}
              actions={<LinkButton href={address('moveIn', {}, { tag: tagId })}>{frameWords.title.moveIn}</LinkButton>}
            />
            <Picker tagId={tagId} providers={providers} />
          </>
        )
      }}
    </View>
  )
}

/** Choose a provider, then fill in its form. */
export default tagPage(NewChannel)
