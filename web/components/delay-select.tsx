/** Chooses how long an incident must last before a channel is notified. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { MAX_DELAY_MINUTES } from '../../src/shared/limits.ts'
import { delayPresets, describeDelay } from '../lib/delays.ts'
import './delay-select.css'

const CUSTOM = 'custom'

interface DelaySelectProps {
  /** The name of the channel. */
  channel: string
  /** The delay in minutes. */
  value: number
  onValue: (minutes: number) => void
}

export function DelaySelect({ channel, value, onValue }: DelaySelectProps) {
  const [isCustom, setCustom] = useState(false)
  const minutes = delayPresets.includes(value) ? delayPresets : [...delayPresets, value]
  return (
    <span class="delay">
      <select
        class="input delay-select"
        aria-label={`When to notify ${channel}`}
        value={isCustom ? CUSTOM : `${value}`}
        onChange={({ currentTarget }) => {
          setCustom(currentTarget.value === CUSTOM)
          if (currentTarget.value !== CUSTOM) onValue(Number(currentTarget.value))
        }}
      >
        {minutes.map((option) => (
          <option key={option} value={`${option}`}>
            Notify {describeDelay(option)}
          </option>
        ))}
        <option value={CUSTOM}>Custom…</option>
      </select>
      {isCustom && (
        <CustomDelay
          channel={channel}
          value={value}
          onValue={(delay) => {
            setCustom(false)
            onValue(delay)
          }}
        />
      )}
    </span>
  )
}

/** Applies the number when the user leaves the field or presses Enter. */
function CustomDelay({ channel, value, onValue }: DelaySelectProps) {
  const [text, setText] = useState(`${value}`)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.select(), [])
  const isValid = /^\d+$/.test(text.trim()) && Number(text) <= MAX_DELAY_MINUTES
  // Applying removes the field, which fires its blur event. That event must not apply the value again.
  const isApplied = useRef(false)
  const apply = () => {
    if (!isValid || isApplied.current) return
    isApplied.current = true
    onValue(Number(text))
  }
  return (
    <label class="delay-custom">
      <input
        ref={input}
        class="input"
        inputMode="numeric"
        autocomplete="off"
        aria-label={`Minutes before ${channel} is notified, up to ${MAX_DELAY_MINUTES}`}
        aria-invalid={isValid ? undefined : true}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={apply}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // Otherwise Enter would submit the form around the field.
          event.preventDefault()
          apply()
        }}
      />
      minutes
    </label>
  )
}
