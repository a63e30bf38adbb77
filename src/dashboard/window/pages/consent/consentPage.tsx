import type { Tag } from '#contract/tag.ts'
import { consentWords as words } from '#dashboard/words/en/consent.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { useAddress, useMay, useRead } from '../../data/here.tsx'
import { useManifest, useScripts } from '../../data/tag.tsx'
import { LinkButton } from '../../parts/button.tsx'
import { NotLiveNotice } from '../../parts/notLive.tsx'
import { tagPage } from '../../parts/pages.tsx'
import { PageHead } from '../../parts/panel.tsx'
import { Empty, Skeleton, View } from '../../parts/view.tsx'
import { ConsentMatrix } from './consentMatrix.tsx'

/** Explains the consent settings of the tag. */
function Standing({ tag: { tagId, consent, hold, gpc } }: { tag: Tag }) {
  const address = useAddress()
  return (
    <p class={`row notice ${consent === 'enabled' ? 'calm' : ''}`}>
      <span>{consent === 'enabled' ? `${words.isOn} ${words.hold(hold)} ${words.gpc(gpc)}` : words.isOff}</span>
      <LinkButton isSmall href={address('settings', { tagId })}>
        {words.change}
      </LinkButton>
    </p>
  )
}

function ConsentOf({ tagId }: { tagId: string }) {
  const address = useAddress()
  const { why } = useMay('script:write')
  const tag = useRead(['tag', tagId], (api) => api.readTag({ tagId }))
  const scripts = useScripts(tagId)
  const manifest = useManifest()
  return (
    <>
      <PageHead title={frameWords.title.consent} below={words.intro} />
      <View of={tag} skeleton={<Skeleton rows={1} />}>
        {(of) => (
          <>
            <Standing tag={of} />
            <NotLiveNotice tagId={tagId} of={of} />
          </>
        )}
      </View>
      <View of={scripts} skeleton={<Skeleton rows={6} />}>
        {(read) =>
          read.scripts.length === 0 ? (
            <Empty
              title={words.noneTitle}
              action={
                <LinkButton href={address('newChannel', { tagId })} why={why}>
                  {frameWords.title.newChannel}
                </LinkButton>
              }
            >
              {words.none}
            </Empty>
          ) : (
            <View of={manifest} skeleton={<Skeleton rows={6} />}>
              {({ providers = [] }) => <ConsentMatrix tagId={tagId} scripts={read.scripts} providers={providers} />}
            </View>
          )
        }
      </View>
    </>
  )
}

/** Which channel needs which consent, and the regions from which it gets events. */
export default tagPage(ConsentOf)
