import { frameWords } from '#dashboard/words/en/frame.ts'
import { applicationWords as words } from '#dashboard/words/en/govern.ts'
import { ConfirmButton } from '../../parts/confirmDialog.tsx'

/** A button that revokes a token, after a question. */
export const RevokeButton = ({ tokenId }: { tokenId: string }) => (
  <ConfirmButton
    button={{ isSmall: true }}
    title={words.revokeTitle}
    label={frameWords.revoke}
    changes={['applications']}
    call={(api) => api.deleteToken({ tokenId })}
    text={words.revokeText}
  />
)
