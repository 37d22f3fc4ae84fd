import { useState } from 'react'
import { FILE_KINDS } from '#app/cms/media/file-rules.ts'
import { CurrentFile } from './current-file.tsx'
import type { FileFieldProps } from './file-field-props.ts'
import styles from './file-fields.module.css'
import { FilePicker } from './file-picker.tsx'
import { useFileSender } from './use-file-sender.ts'

export function DocumentField({ id, value, onChange, descriptor, describedBy, isInvalid }: FileFieldProps<string>) {
  const [sentFile, setSentFile] = useState<{ path: string; name: string }>()
  const sender = useFileSender('documento', descriptor, ({ ruta }, name) => {
    setSentFile({ path: ruta, name })
    onChange(ruta)
  })
  return (
    <div className={styles.field}>
      {value !== '' && (
        <CurrentFile
          path={value}
          fileName={sentFile?.path === value ? sentFile.name : undefined}
          label={descriptor.label}
        />
      )}
      <FilePicker
        id={id}
        sender={sender}
        action={value === '' ? 'Elegir documento' : 'Cambiar documento'}
        label={descriptor.label}
        hint={FILE_KINDS.documento.hint}
        describedBy={describedBy}
        isInvalid={isInvalid}
        required={!descriptor.isOptional && value === ''}
      />
    </div>
  )
}
