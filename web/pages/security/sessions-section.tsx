import { MonitorSmartphone } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { SessionMethod } from '../../../src/shared/sign-in.ts'
import type { SessionRecord } from '../../../src/sign-in/schema.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Section } from '../../components/section.tsx'
import { QueryContent, Skeleton } from '../../components/states.tsx'
import { DateTime, RelativeTime } from '../../components/time.tsx'
import { api } from '../../lib/api.ts'
import { formatCountry } from '../../lib/format.ts'
import { refetchSecurity, useSessions } from '../../lib/security.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'

export function SessionsSection() {
  return (
    <Section
      title="Sessions"
      icon={MonitorSmartphone}
      description="Where you are signed in. End a session that you don't recognize, then change your password."
    >
      <QueryContent query={useSessions()} loading={<Skeleton height="8rem" />}>
        {(sessions) => (
          // This device comes first, so that it is at the same place on every visit.
          <SessionList sessions={sessions.toSorted((a, b) => Number(b.is_current) - Number(a.is_current))} />
        )}
      </QueryContent>
    </Section>
  )
}

const methodLabels: Record<SessionMethod, string> = {
  password: 'Password',
  passkey: 'Passkey',
  single_sign_on: 'Single sign-on',
  proxy: 'Proxy',
  link: 'Invitation link',
}

const describeDevice = ({ device }: SessionRecord) => device ?? 'Unknown device'

function SessionList({ sessions }: { sessions: readonly SessionRecord[] }) {
  const [isAsking, setAsking] = useState(false)
  const [busyId, setBusyId] = useState<number>()
  async function end(session: SessionRecord) {
    setBusyId(session.id)
    try {
      await api.delete(`api/sessions/${session.id}`)
      await refetchSecurity()
      showToast(`Session ended: ${describeDevice(session)}.`)
    } catch (error) {
      showProblem(error)
    } finally {
      setBusyId(undefined)
    }
  }
  return (
    <div class="security-list">
      <ul>
        {sessions.map((session) => (
          <li key={session.id} class="security-item">
            <div class="security-item-text">
              <strong>{describeDevice(session)}</strong>{' '}
              {session.is_current && <span class="tag security-on">This device</span>}
              <p class="muted small">
                {[
                  session.place && formatCountry(session.place),
                  session.address,
                  `${methodLabels[session.method]}${session.is_strong && session.method === 'password' ? ' and second factor' : ''}`,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
              <p class="muted small">
                Signed in <DateTime at={session.created_at} />
                {!session.is_current && (
                  <>
                    , last seen <RelativeTime at={session.last_seen_at} />
                  </>
                )}
              </p>
            </div>
            {!session.is_current && (
              <Button
                small
                kind="danger"
                busy={busyId === session.id}
                aria-label={`End the session of ${describeDevice(session)}`}
                onClick={() => void end(session)}
              >
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <div>
          <Button kind="danger" onClick={() => setAsking(true)}>
            End all other sessions
          </Button>
        </div>
      )}
      {isAsking && (
        <ConfirmDialog
          title="End all other sessions?"
          action="End sessions"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await api.delete('api/sessions')
            await refetchSecurity()
            setAsking(false)
            showToast('All other sessions ended.')
          }}
        >
          <p>You stay signed in only on this device. API keys keep working.</p>
        </ConfirmDialog>
      )}
    </div>
  )
}
