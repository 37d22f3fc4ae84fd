import { useState } from 'react'
import { Form } from 'react-router'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import type { Field } from '#app/entries/definitions/field.ts'
import { contactFieldsOf } from '#app/entries/rules.ts'
import type { Entry } from '#app/entries/schema.ts'
import { OutcomeNotice } from '#app/panel/outcome-notice.tsx'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/components/button.tsx'
import styles from './decision-forms.module.css'

interface Props {
  entry: Entry
  outcome:
    | { ok: boolean; message: string; typedValues?: Record<string, string>; errors?: Record<string, string> }
    | undefined
}

export function ContactCorrection({ entry, outcome }: Props) {
  const { isBusy, preventResubmit } = useSubmitOnce()
  const [isOpen, setOpen] = useState(false)
  const isRefused = outcome?.ok === false
  return (
    <div className={styles.contact}>
      {outcome && <OutcomeNotice outcome={outcome} />}
      {!(isOpen || isRefused) || outcome?.ok ? (
        <Button look="outline" onClick={() => setOpen(true)} aria-expanded={false}>
          Corregir contacto
        </Button>
      ) : (
        <Form method="post" preventScrollReset className={styles.form} onSubmit={preventResubmit} noValidate>
          <input type="hidden" name="version" value={entry.version} />
          {contactFieldsOf(FORMS[entry.tipo]).map((field) => (
            <ContactField
              key={field.name}
              field={field}
              value={outcome?.typedValues?.[field.name] ?? entry[field.summaryColumn as 'celular' | 'correo'] ?? ''}
              error={outcome?.errors?.[field.name]}
            />
          ))}
          <p className={styles.notice}>En la bitácora queda quién lo corrigió, sin los datos.</p>
          <Button type="submit" look="outline" isBusy={isBusy} name="hacer" value="contacto">
            Guardar contacto
          </Button>
        </Form>
      )}
    </div>
  )
}

function ContactField({ field, value, error }: { field: Field; value: string; error: string | undefined }) {
  const id = `contacto-${field.name}`
  return (
    <>
      <label htmlFor={id}>{field.panel.label}</label>
      <input
        id={id}
        name={field.name}
        type={field.control.kind === 'line' ? field.control.type : 'text'}
        defaultValue={value}
        autoComplete="off"
        aria-invalid={error !== undefined || undefined}
        aria-describedby={error ? `${id}-error` : undefined}
      />
      {error && (
        <p className={styles.error} id={`${id}-error`}>
          {error}
        </p>
      )}
    </>
  )
}
