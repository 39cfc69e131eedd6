/** The fields for when beats are expected, and how late they can be. */
import { useEffect, useState } from 'preact/hooks'
import { SelectField, TextField } from '../../components/field.tsx'
import { TimeZoneField } from '../../components/time-zone-field.tsx'
import { findNextCronTimes } from '../../lib/find-next-cron-times.ts'
import { formatDateTime, formatDurationSeconds } from '../../lib/format.ts'
import type { MonitorSectionProps } from './fields.ts'
import { PresetOrCustom } from './preset-or-custom.tsx'

const scheduleChoices = [
  { value: '300', label: 'Every 5 minutes' },
  { value: '3600', label: 'Every hour' },
  { value: '86400', label: 'Every day' },
  { value: '604800', label: 'Every week' },
  { value: 'custom', label: 'Other period…' },
  { value: 'cron', label: 'Cron schedule…' },
]

const gracePresets = [
  { value: '60', label: '1 minute' },
  { value: '300', label: '5 minutes' },
  { value: '900', label: '15 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '21600', label: '6 hours' },
  { value: '86400', label: '1 day' },
]

const describeSeconds = (text: string) => (Number(text) >= 60 ? formatDurationSeconds(Number(text)) : undefined)

export function HeartbeatFields({ form: { values, set }, errorsFor }: MonitorSectionProps) {
  const isPreset = scheduleChoices.some(({ value }) => value === values.period)
  const [isCustomChosen, setCustomChosen] = useState(!isPreset)
  const isCustom = isCustomChosen || !isPreset
  const isCron = values.schedule === 'cron'
  function choose(choice: string) {
    set('schedule', choice === 'cron' ? 'cron' : 'period')
    if (choice === 'cron') return
    setCustomChosen(choice === 'custom')
    if (choice !== 'custom') set('period', choice)
  }
  return (
    <>
      <div class="form-pair">
        <SelectField
          label="A beat is expected"
          hint={isCron ? undefined : 'Counted from the last beat.'}
          errors={[...errorsFor('heartbeat'), ...(isCron || isCustom ? [] : errorsFor('heartbeat.period'))]}
          value={isCron ? 'cron' : isCustom ? 'custom' : values.period}
          choices={scheduleChoices}
          onValue={choose}
        />
        <PresetOrCustom
          label="Grace time"
          customLabel="Grace time in seconds"
          hint="How late a beat can be before an incident opens. Choose more time than the job takes."
          errors={errorsFor('heartbeat.grace')}
          presets={gracePresets}
          value={values.grace}
          onValue={(grace) => set('grace', grace)}
        />
      </div>
      {!isCron && isCustom && (
        <TextField
          label="Seconds between beats"
          hint={describeSeconds(values.period) ?? 'From 10 seconds to a year'}
          errors={errorsFor('heartbeat.period')}
          value={values.period}
          onValue={(period) => set('period', period)}
          inputMode="numeric"
          autocomplete="off"
        />
      )}
      {isCron && (
        <>
          <div class="form-pair">
            <TextField
              label="Cron expression"
              hint="Minute, hour, day of month, month, day of week, or a name such as @daily"
              errors={errorsFor('heartbeat.cron')}
              value={values.cron}
              onValue={(cron) => set('cron', cron)}
              placeholder="30 2 * * *"
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
            />
            <TimeZoneField
              label="Time zone"
              hint="The time zone of the machine that runs the job"
              errors={errorsFor('heartbeat.time_zone')}
              value={values.time_zone}
              emptyLabel="Time zone of the Belfry server"
              onValue={(zone) => set('time_zone', zone)}
            />
          </div>
          {values.time_zone !== '' && <NextTimes cron={values.cron} timeZone={values.time_zone} />}
        </>
      )}
      <p class="field-hint">
        After you save, the page of the monitor shows its URL and how to call it from a shell script, crontab, systemd
        or GitHub Actions.
      </p>
    </>
  )
}

const NEXT_TIME_COUNT = 3

/** The next times of a cron expression, in the user's time zone. Empty while the expression isn't complete. */
function NextTimes({ cron, timeZone }: { cron: string; timeZone: string }) {
  const [times, setTimes] = useState<readonly Date[]>([])
  useEffect(() => {
    let isCurrent = true
    void findNextCronTimes(cron, timeZone, NEXT_TIME_COUNT).then((next) => isCurrent && setTimes(next))
    return () => {
      isCurrent = false
    }
  }, [cron, timeZone])
  return (
    <div class="monitor-form-next small" role="status">
      {times.length > 0 && (
        <>
          <span class="muted">Next beats, in your time zone:</span>
          <ul>
            {times.map((at) => (
              <li key={at.getTime()} class="numbers">
                {formatDateTime(at)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
