import { ownWords as words } from '#dashboard/words/en/account.ts'
import { useAction } from '../../data/action.ts'
import { useRead } from '../../data/here.tsx'
import { Button } from '../../parts/button.tsx'
import { ListPanel } from '../../parts/pages.tsx'
import { Time } from '../../parts/time.tsx'
import { ProblemLine } from '../../parts/view.tsx'

/** The browsers in which the person has signed in. */
export function DevicesPanel() {
  const reading = useRead(['devices'], (api) => api.listDevices())
  const action = useAction('devices')
  const forget = (deviceId: string) => void action.run((api) => api.forgetDevice({ deviceId }))
  return (
    <ListPanel
      title={words.devices}
      note={words.devicesNote}
      of={reading}
      rowsOf={({ devices }) => devices}
      none={words.noDevices}
      skeleton={2}
      foot={<ProblemLine error={action.error} />}
      columns={[
        {
          name: 'browser',
          label: words.deviceBrowser,
          cell: ({ browser, system, isCurrent }) => (
            <>
              <bdi>{words.device(browser, system)}</bdi> {isCurrent && <span class="chip">{words.thisOne}</span>}
            </>
          ),
        },
        { name: 'first', label: words.firstSeen, cell: ({ createdAt }) => <Time at={createdAt} look="ago" /> },
        { name: 'last', label: words.lastSeen, cell: ({ seenAt }) => <Time at={seenAt} look="ago" /> },
      ]}
      rowActions={({ deviceId }) => (
        <Button isSmall isDisabled={action.isBusy} onClick={() => forget(deviceId)}>
          {words.forget}
        </Button>
      )}
      keyOf={({ deviceId }) => deviceId}
    />
  )
}
