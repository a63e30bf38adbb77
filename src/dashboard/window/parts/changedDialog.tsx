import type { ComponentChildren } from 'preact'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { manageWords as words } from '#dashboard/words/en/manage.ts'
import { Button } from './button.tsx'
import { Cards } from './cards.tsx'
import { Dialog } from './dialog.tsx'

type ChangedDialogProps = {
  title?: string
  rows: readonly { name: string; label: string; mine: ComponentChildren; theirs: ComponentChildren }[]
  onMine: () => void
  onTheirs: () => void
  onClose: () => void
}

/** Somebody else saved the same object meanwhile: shows both values of each difference, and the choice. */
export function ChangedDialog({ title = words.changedTitle, rows, onMine, onTheirs, onClose }: ChangedDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{words.changedText}</p>
      <div class="tableScroll">
        <Cards
          variant=""
          label={title}
          columns={[
            { name: 'field', label: words.field, cell: ({ label }) => label },
            { name: 'mine', label: words.mine, cell: ({ mine }) => mine },
            { name: 'theirs', label: words.theirs, cell: ({ theirs }) => theirs },
          ]}
          rows={rows}
          keyOf={({ name }) => name}
        />
      </div>
      <div class="row dialogActions">
        <Button onClick={onClose}>{frameWords.cancel}</Button>
        <Button onClick={onTheirs}>{words.takeTheirs}</Button>
        <Button variant="primary" onClick={onMine}>
          {words.keepMine}
        </Button>
      </div>
    </Dialog>
  )
}
