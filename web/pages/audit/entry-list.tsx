/** The entries of the audit log as sentences, each with its details. */
import { Bot, ChevronRight, KeyRound, Server, SquareTerminal } from 'lucide-preact'
import { Link } from 'wouter-preact'
import type { AuditRecord } from '../../../src/audit/schema.ts'
import { Icon } from '../../components/icon.tsx'
import { DateTime } from '../../components/time.tsx'
import { formatClockTime, formatDate } from '../../lib/format.ts'
import { describeEntry, findObjectPath, listChanges } from './describe-entry.ts'

export function EntryList({ entries }: { entries: readonly AuditRecord[] }) {
  const days = Map.groupBy(entries, ({ at }) => formatDate(at))
  return (
    <div class="stack">
      {[...days].map(([day, dayEntries]) => (
        <section key={day} class="audit-day" aria-label={day}>
          <h2 class="small muted">{day}</h2>
          <ul class="panel audit-list">
            {dayEntries.map((entry) => (
              <li key={entry.id}>
                <Entry entry={entry} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function Entry({ entry }: { entry: AuditRecord }) {
  const { at, actor } = entry
  const { actor: actorName, verb, name, end } = describeEntry(entry)
  return (
    <details class="audit-entry">
      <summary>
        <Icon icon={ChevronRight} size={14} />
        <ActorIcon kind={actor.kind} name={actor.name} />
        <span class="audit-sentence">
          <strong>{actorName}</strong> {verb} {name !== '' && <strong>{name}</strong>} {end}
        </span>
        <time class="muted small numbers" dateTime={at}>
          {formatClockTime(at)}
        </time>
      </summary>
      <Details entry={entry} />
    </details>
  )
}

const actorIcons = { key: KeyRound, agent: Bot, command: SquareTerminal, server: Server }

function ActorIcon({ kind, name }: { kind: AuditRecord['actor']['kind']; name: string }) {
  return (
    <span class="avatar" aria-hidden="true">
      {kind === 'user' ? [...name][0] : <Icon icon={actorIcons[kind]} size={14} />}
    </span>
  )
}

function Details({ entry }: { entry: AuditRecord }) {
  const { at, before, after, ip, request_id: requestId } = entry
  const changes = listChanges(entry)
  const path = findObjectPath(entry)
  return (
    <div class="audit-details">
      {changes.length > 0 && (
        <div class="table-scroll">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Field</th>
                {before !== null && <th scope="col">Before</th>}
                {after !== null && <th scope="col">{before === null ? 'Value' : 'After'}</th>}
              </tr>
            </thead>
            <tbody>
              {changes.map((change) => (
                <tr key={change.name}>
                  <th scope="row">{change.name}</th>
                  {before !== null && <td class="audit-value">{change.before}</td>}
                  {after !== null && <td class="audit-value">{change.after}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="muted small audit-facts">
        <DateTime at={at} hasSeconds />
        {ip !== null && <span>IP address {ip}</span>}
        {requestId !== null && <span>Request {requestId}</span>}
        {path !== undefined && <Link href={path}>Open</Link>}
      </p>
    </div>
  )
}
