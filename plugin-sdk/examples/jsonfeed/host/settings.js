// The settings, held against the schema that Describe tells.
import { badSettings } from './errors.js';

const typeNames = { string: 'text', boolean: 'true or false', integer: 'a whole number', number: 'a number', array: 'a list', object: 'a table' };

/**
 * Reads what Configure brings: one JSON object, and the secrets apart from it.
 * It throws an error that names every field which is unknown, missing or of the
 * wrong type.
 */
export function readSettings(schema, config, secrets) {
  const values = { ...parse(config), ...secrets };
  const wrong = [];
  const fields = Object.keys(schema.properties);
  for (const field of Object.keys(values)) {
    if (!fields.includes(field)) {
      wrong.push({ field, description: `there is no such field; the fields are ${fields.join(', ')}` });
    }
  }
  const settings = {};
  for (const field of fields) {
    const property = schema.properties[field];
    const value = values[field] ?? property.default;
    const description = problem(property, value, schema.required.includes(field));
    if (description) wrong.push({ field, description });
    settings[field] = value;
  }
  if (wrong.length > 0) throw badSettings(wrong);
  return settings;
}

function parse(config) {
  let values;
  try {
    values = JSON.parse(config.toString('utf8') || '{}');
  } catch (err) {
    throw badSettings([{ field: '', description: `the configuration is not JSON: ${err.message}` }]);
  }
  if (values === null || typeof values !== 'object' || Array.isArray(values)) {
    throw badSettings([{ field: '', description: 'the configuration is not a JSON object' }]);
  }
  return values;
}

function problem(property, value, required) {
  if (value === undefined || value === '') return required ? 'a value is required' : '';
  const type = typeOf(value);
  if (type !== property.type && !(type === 'integer' && property.type === 'number')) {
    return `want ${typeNames[property.type]}, got ${typeNames[type]}`;
  }
  if (property.enum && !property.enum.includes(value)) {
    return `${JSON.stringify(value)} is not possible: choose one of ${property.enum.join(', ')}`;
  }
  return '';
}

function typeOf(value) {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
