import { useState } from 'preact/hooks'
import type { Client } from '#contract/client.ts'
import { liveWords as words } from '#dashboard/words/en/live.ts'
import { useMay } from '../../data/here.tsx'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'

/** Adds the origin of a refused call to the tag's origins, after confirmation. */
export function AllowOrigin({ tagId, origin }: { tagId: string; origin: string }) {
  const { why } = useMay('tag:write')
  const [isAllowed, setAllowed] = useState(false)
  const allow = async (api: Client) => {
    const { allowedOrigins } = await api.readTag({ tagId })
    if (!allowedOrigins.includes(origin))
      await api.updateTag({ tagId, body: { allowedOrigins: [...allowedOrigins, origin] } })
  }
  if (isAllowed) return <span class="soft">{words.allowed}</span>
  return (
    <ConfirmButton
      button={{ isSmall: true, why }}
      title={words.allowTitle(origin)}
      label={words.allow}
      variant="primary"
      changes={['tag']}
      call={allow}
      onDone={() => setAllowed(true)}
      text={words.allowText}
    />
  )
}
