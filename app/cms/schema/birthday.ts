const MONTHS = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ')

/** Parses «7 de agosto»; undefined if there is no such day. */
export function parseBirthday(birthday: string): { dia: number; mes: number } | undefined {
  const [, day, name] = /^(\d{1,2}) de (\p{L}+)$/u.exec(birthday.trim().toLowerCase()) ?? []
  const mes = MONTHS.indexOf(name ?? '') + 1
  // 2024 is a leap year, so 29 February is valid.
  const date = new Date(Date.UTC(2024, mes - 1, Number(day)))
  return mes > 0 && date.getUTCMonth() === mes - 1 ? { dia: Number(day), mes } : undefined
}
