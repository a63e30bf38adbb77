import { PencilLine } from 'lucide'
import type { ValueChange } from '#contract/revision.ts'
import { hasLiveVersion, notLiveOf } from '#dashboard/form/notLive.ts'
import { parseRegionText, regionSentence } from '#dashboard/form/regions.ts'
import { channelWords } from '#dashboard/words/en/channels.ts'
import { deploymentWords } from '#dashboard/words/en/deployments.ts'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { notLiveWords as words } from '#dashboard/words/en/notLive.ts'
import { useAddress } from '../data/here.tsx'
import { LinkButton } from './button.tsx'
import { DeployButton, DiscardButton } from './deploy.tsx'
import { Icon } from './icon.tsx'
import { Mark } from './status.tsx'

type Differing = { notLive?: readonly ValueChange[] | undefined }

export const NotLiveMark = () => (
  <span class="notLiveMark">
    <Mark icon={PencilLine} tone="wait">
      {words.mark}
    </Mark>
  </span>
)

/** Maximum length of a value shown in a line; a longer one is only marked as changed. */
const mostLength = 60

/** A value as a person reads it. */
function textOf(name: string, value: unknown, isHidden: boolean | undefined): string {
  if (name === 'geoRegions') return regionSentence(parseRegionText(value as string | undefined))
  if (value === undefined) return name === 'consentCategory' ? words.providerDefault : frameWords.notSet
  if (isHidden) return deploymentWords.version(value)
  if (name === 'consentCategory') return channelWords.category(`${value}`)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > mostLength || text.includes('\n') ? words.changed : text
}

/** The saved and the live value of each difference. */
const Values = ({ of }: { of: readonly ValueChange[] }) => (
  <dl class="notLiveValues">
    {of.map(({ name, before, after, isHidden }) => (
      <div key={name}>
        <dt>{deploymentWords.field(name)}</dt>
        <dd>
          {words.saved}: <b>{textOf(name, after, isHidden)}</b>
        </dd>
        <dd>
          {words.live}: <b>{textOf(name, before, isHidden)}</b>
        </dd>
      </div>
    ))}
  </dl>
)

/** The differences between the saved and live versions of a channel or tag, with buttons to deploy and discard. */
export function NotLiveNotice({ tagId, scriptId, of }: { tagId: string; scriptId?: string; of: Differing }) {
  const address = useAddress()
  const { notLive = [] } = of
  if (notLive.length === 0) return null
  const isNew = scriptId !== undefined && !hasLiveVersion(of)
  return (
    <section class="row notice wait notLive" aria-label={words.mark}>
      <Icon of={PencilLine} />
      <div>
        <p>{isNew ? words.neverLive : words.title(notLive.length)}</p>
        {!isNew && <Values of={notLive} />}
      </div>
      <LinkButton isSmall variant="quiet" href={address('deployments', { tagId })}>
        {words.difference}
      </LinkButton>
      {!isNew && <DiscardButton isSmall tagId={tagId} {...(scriptId !== undefined && { scriptId })} />}
      <DeployButton isSmall tagId={tagId} />
    </section>
  )
}

/** The saved value of a setting, and the live one if it differs. */
export function SavedValue({ of, name, text }: { of: Differing; name: string; text: string }) {
  const difference = hasLiveVersion(of) ? notLiveOf(of, name) : undefined
  if (!difference) return <>{text}</>
  return (
    <span class="savedValue">
      {textOf(name, difference.before, difference.isHidden)}
      <small class="soft">
        {words.saved}: {text} <NotLiveMark />
      </small>
    </span>
  )
}
