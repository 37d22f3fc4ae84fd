import { useState } from 'react'
import { Form } from 'react-router'
import { FORMS } from '#app/entries/definitions/both-forms.ts'
import type { Field } from '#app/entries/definitions/field.ts'
import { contactFieldsOf } from '#app/entries/rules.ts'
import type { Entry } from '#app/entries/schema.ts'
import { Aviso } from '#app/panel/notice.tsx'
import { useSubmitOnce } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import styles from './decision-forms.module.css'

interface Props {
  inscripcion: Entry
  hecho:
    | { ok: boolean; mensaje: string; tecleado?: Record<string, string>; errores?: Record<string, string> }
    | undefined
}

/** A form to correct the entrant's phone number and email. */
export function ContactCorrection({ inscripcion, hecho }: Props) {
  const { busy, once } = useSubmitOnce()
  const [isOpen, setOpen] = useState(false)
  const refused = hecho?.ok === false
  return (
    <div className={styles.contacto}>
      {hecho && <Aviso hecho={hecho} />}
      {!(isOpen || refused) || hecho?.ok ? (
        <Button look="outline" onClick={() => setOpen(true)} aria-expanded={false}>
          Corregir contacto
        </Button>
      ) : (
        <Form method="post" preventScrollReset className={styles.forma} onSubmit={once} noValidate>
          <input type="hidden" name="version" value={inscripcion.version} />
          {contactFieldsOf(FORMS[inscripcion.tipo]).map((field) => (
            <Row
              key={field.nombre}
              campo={field}
              valor={hecho?.tecleado?.[field.nombre] ?? inscripcion[field.resumen as 'celular' | 'correo'] ?? ''}
              error={hecho?.errores?.[field.nombre]}
            />
          ))}
          <p className={styles.aviso}>En la bitácora queda quién lo corrigió, sin los datos.</p>
          <Button type="submit" look="outline" busy={busy} name="hacer" value="contacto">
            Guardar contacto
          </Button>
        </Form>
      )}
    </div>
  )
}

function Row({ campo, valor, error }: { campo: Field; valor: string; error: string | undefined }) {
  const id = `contacto-${campo.nombre}`
  return (
    <>
      <label htmlFor={id}>{campo.panel.etiqueta}</label>
      <input
        id={id}
        name={campo.nombre}
        type={campo.control.como === 'renglon' ? campo.control.type : 'text'}
        defaultValue={valor}
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
