import { useState } from 'react'
import { Form } from 'react-router'
import { FORMAS } from '#app/entries/definitions/both-forms.ts'
import type { Campo } from '#app/entries/definitions/field.ts'
import { camposDeContacto } from '#app/entries/rules.ts'
import type { Inscripcion } from '#app/entries/schema.ts'
import { Aviso } from '#app/panel/notice.tsx'
import { useUnaVez } from '#app/panel/use-submit-once.ts'
import { Button } from '#app/ui/primitives/button.tsx'
import styles from './decision-forms.module.css'

interface Props {
  inscripcion: Inscripcion
  hecho:
    | { ok: boolean; mensaje: string; tecleado?: Record<string, string>; errores?: Record<string, string> }
    | undefined
}

/** How to reach the person, corrected where it was written wrongly. */
export function Correccion({ inscripcion, hecho }: Props) {
  const { busy, once } = useUnaVez()
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
          {camposDeContacto(FORMAS[inscripcion.tipo]).map((campo) => (
            <Renglon
              key={campo.nombre}
              campo={campo}
              valor={hecho?.tecleado?.[campo.nombre] ?? inscripcion[campo.resumen as 'celular' | 'correo'] ?? ''}
              error={hecho?.errores?.[campo.nombre]}
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

function Renglon({ campo, valor, error }: { campo: Campo; valor: string; error: string | undefined }) {
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
