import { applicationWords as words } from '#dashboard/words/en/govern.ts'
import { ConfirmDialog } from '../../parts/confirmDialog.tsx'
import { DialogButton } from '../../parts/formDialog.tsx'

const RevokeDialog = ({ tokenId, onClose }: { tokenId: string; onClose: () => void }) => (
  <ConfirmDialog
    title={words.revokeTitle}
    label={words.revoke}
    changes={['applications']}
    call={(api) => api.deleteToken({ tokenId })}
    onClose={onClose}
  >
    <p>{words.revokeText}</p>
  </ConfirmDialog>
)

/** A button that revokes a token, after a question. */
export const RevokeButton = ({ tokenId }: { tokenId: string }) => (
  <DialogButton isSmall dialog={(close) => <RevokeDialog tokenId={tokenId} onClose={close} />}>
    {words.revoke}
  </DialogButton>
)
