import type { ComponentProps, ReactNode } from 'react'
import { joinClasses } from '#app/ui/styles/class-names.ts'
import styles from './field.module.css'

interface FieldFrame {
  id: string
  label: string
  /** Text below the control: its accessible description (`aria-describedby`), not part of its name. */
  hint?: ReactNode
  error?: ReactNode
  /** The error answers a form that was just sent, so screen readers announce it at once (`role="alert"`). */
  isAnswerToSubmit?: boolean | undefined
  /** The error comes and goes while the field is used, so screen readers announce it politely (`aria-live`). */
  isLive?: boolean | undefined
  className?: string | undefined
}

const describedByOf = (id: string, hint: ReactNode, error: ReactNode) =>
  [error && `${id}-error`, hint && `${id}-pista`].filter(Boolean).join(' ') || undefined

function FieldShell({
  id,
  label,
  hint,
  error,
  isAnswerToSubmit,
  isLive,
  className,
  children,
}: FieldFrame & { children: ReactNode }) {
  const errorElement = error && (
    <p className={styles.error} id={`${id}-error`} role={isAnswerToSubmit ? 'alert' : undefined}>
      {error}
    </p>
  )
  return (
    <div className={joinClasses(styles.field, className)}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children}
      {isLive ? <div aria-live="polite">{errorElement}</div> : errorElement}
      {hint && (
        <p className={styles.hint} id={`${id}-pista`}>
          {hint}
        </p>
      )}
    </div>
  )
}

export function TextField({
  label,
  hint,
  error,
  isAnswerToSubmit,
  className,
  ...input
}: FieldFrame & ComponentProps<'input'>) {
  return (
    <FieldShell
      id={input.id}
      label={label}
      hint={hint}
      error={error}
      isAnswerToSubmit={isAnswerToSubmit}
      className={className}
    >
      <input
        {...input}
        className={styles.control}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedByOf(input.id, hint, error)}
      />
    </FieldShell>
  )
}

export function TextAreaField({ label, hint, error, className, ...textarea }: FieldFrame & ComponentProps<'textarea'>) {
  return (
    <FieldShell id={textarea.id} label={label} hint={hint} error={error} className={className}>
      <textarea
        {...textarea}
        className={joinClasses(styles.control, styles.area)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedByOf(textarea.id, hint, error)}
      />
    </FieldShell>
  )
}

export function CheckField({ label, hint, error, className, ...input }: FieldFrame & ComponentProps<'input'>) {
  const { id } = input
  return (
    <div className={joinClasses(styles.field, className)}>
      <label className={styles.check} htmlFor={id}>
        <input
          {...input}
          type="checkbox"
          aria-invalid={error ? true : undefined}
          aria-describedby={describedByOf(id, hint, error)}
        />
        <span>{label}</span>
      </label>
      {error && (
        <p className={styles.error} id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && (
        <p className={styles.hint} id={`${id}-pista`}>
          {hint}
        </p>
      )}
    </div>
  )
}

interface SelectProps extends FieldFrame {
  /** Values to send, each with its label if the two differ. */
  options: readonly (string | readonly [value: string, label: string])[]
}

export function SelectField({
  label,
  hint,
  error,
  isLive,
  className,
  options,
  ...select
}: SelectProps & ComponentProps<'select'>) {
  return (
    <FieldShell id={select.id} label={label} hint={hint} error={error} isLive={isLive} className={className}>
      <span className={styles.select}>
        <select
          {...select}
          className={styles.control}
          aria-invalid={error ? true : undefined}
          aria-describedby={describedByOf(select.id, hint, error)}
        >
          {options.map((option) => {
            const [value, text] = typeof option === 'string' ? [option, option] : option
            return (
              <option key={value} value={value}>
                {text}
              </option>
            )
          })}
        </select>
        <svg className={styles.arrow} viewBox="0 0 12 8" aria-hidden="true">
          <path d="m1 1.5 5 5 5-5" fill="none" stroke="currentColor" strokeWidth="1.4" />
        </svg>
      </span>
    </FieldShell>
  )
}
