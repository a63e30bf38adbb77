import type { ComponentChildren } from 'preact'
import { frameWords } from '#dashboard/words/en/frame.ts'
import { manageWords as words } from '#dashboard/words/en/manage.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** Somebody saved the same object meanwhile: both values of each setting that differs, and the choice. */
export function ChangedDialog({
  rows,
  onMine,
  onTheirs,
  onClose,
}: {
  rows: readonly { name: string; label: string; mine: ComponentChildren; theirs: ComponentChildren }[]
  onMine: () => void
  onTheirs: () => void
  onClose: () => void
}) {
  return (
    <Dialog title={words.changedTitle} onClose={onClose}>
      <p>{words.changedText}</p>
      <div class="tableScroll">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{words.field}</th>
              <th scope="col">{words.mine}</th>
              <th scope="col">{words.theirs}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, label, mine, theirs }) => (
              <tr key={name}>
                <th scope="row">{label}</th>
                <td>{mine}</td>
                <td>{theirs}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="dialogActions">
        <Button onClick={onClose}>{frameWords.cancel}</Button>
        <Button onClick={onTheirs}>{words.takeTheirs}</Button>
        <Button look="primary" onClick={onMine}>
          {words.keepMine}
        </Button>
      </div>
    </Dialog>
  )
}
