#include "gstbackdropdescription.h"

#include <backdrop.h>
#include <json-glib/json-glib.h>
#include <string.h>

static const gchar *
text_of (JsonObject *object, const gchar *name)
{
  return json_object_get_string_member_with_default (object, name, NULL);
}

/* The text "Summary (unit); automatic: words". Like the parameter specification, it is never freed. */
static const gchar *
blurb_of (JsonObject *object, const gchar *automatic_value)
{
  const gchar *unit = text_of (object, "unit"), *of = text_of (object, "of"), *automatic = text_of (object, "automatic");
  GString *blurb = g_string_new (text_of (object, "summary"));
  if (unit && *unit)
    g_string_append_printf (blurb, " (%s)", unit);
  if (of && *of)
    g_string_append_printf (blurb, " (%s)", of);
  if (automatic)
    g_string_append_printf (blurb, "; %s: %s", automatic_value, automatic);
  return g_string_free (blurb, FALSE);
}

/* An enumeration of a parameter's choices, numbered in their order. If the parameter can be automatic, "auto" is the first value. */
static GParamSpec *
choice_spec (JsonObject *object, const gchar *prefix, const gchar *name, BackdropParameter *parameter, GParamFlags flags)
{
  JsonArray *choices = json_object_get_array_member (object, "choices");
  guint count = json_array_get_length (choices), next = 0;
  const gchar *usual = text_of (object, "default");
  gint initial = 0;
  GEnumValue *values = g_new0 (GEnumValue, count + 2);
  if (parameter->is_automatic) {
    values[next].value_nick = "auto";
    values[next++].value_name = g_strdup (text_of (object, "automatic"));
  }
  for (guint i = 0; i < count; i++, next++) {
    JsonObject *choice = json_array_get_object_element (choices, i);
    values[next].value = (gint) next;
    values[next].value_nick = g_strdup (text_of (choice, "name"));
    values[next].value_name = g_strdup (text_of (choice, "summary"));
    if (usual && strcmp (usual, values[next].value_nick) == 0)
      initial = (gint) next;
  }
  GString *type_name = g_string_new (prefix);
  gboolean is_first = TRUE;
  for (const gchar *letter = name; *letter; letter++) {
    if (*letter != '-')
      g_string_append_c (type_name, is_first ? g_ascii_toupper (*letter) : *letter);
    is_first = *letter == '-';
  }
  GType type = g_enum_register_static (type_name->str, values);
  g_string_free (type_name, TRUE);
  return g_param_spec_enum (name, name, blurb_of (object, "auto"), type, initial, flags);
}

static GParamSpec *
number_spec (JsonObject *object, const gchar *name, BackdropParameter *parameter, GParamFlags flags)
{
  gdouble least = json_object_get_double_member (object, "minimum"), most = json_object_get_double_member (object, "maximum");
  if (!parameter->is_automatic)
    return g_param_spec_double (name, name, blurb_of (object, ""), least, most,
        json_object_get_double_member (object, "default"), flags);
  least = json_object_get_double_member (object, "automaticNumber");
  gchar *words = g_strdup_printf ("%g", least);
  GParamSpec *spec = g_param_spec_double (name, name, blurb_of (object, words), least, most, least, flags);
  g_free (words);
  return spec;
}

/* A boolean, or if the parameter can be automatic, an enumeration of automatic, on and off. */
static GParamSpec *
switch_spec (JsonObject *object, const gchar *prefix, const gchar *name, BackdropParameter *parameter, GParamFlags flags)
{
  static const GEnumValue values[] = {
    {0, "automatic", "auto"}, {1, "on", "on"}, {2, "off", "off"}, {0, NULL, NULL}
  };
  if (!parameter->is_automatic)
    return g_param_spec_boolean (name, name, blurb_of (object, ""), json_object_get_boolean_member (object, "default"), flags);
  gchar *type_name = g_strconcat (prefix, "Switch", NULL);
  GType type = g_type_from_name (type_name);
  if (!type)
    type = g_enum_register_static (type_name, values);
  g_free (type_name);
  return g_param_spec_enum (name, name, blurb_of (object, "auto"), type, 0, flags);
}

static void
read_parameter (JsonObject *object, const gchar *prefix, BackdropParameter *parameter)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  const gchar *kind = text_of (object, "kind");
  gchar *name = g_strdup (text_of (object, "name"));
  parameter->name = name;
  parameter->is_automatic = json_object_has_member (object, "automatic");
  if (strcmp (kind, "number") == 0)
    parameter->spec = number_spec (object, name, parameter, flags);
  else if (strcmp (kind, "toggle") == 0)
    parameter->spec = switch_spec (object, prefix, name, parameter, flags);
  else if (strcmp (kind, "choice") == 0)
    parameter->spec = choice_spec (object, prefix, name, parameter, flags);
  else
    parameter->spec = g_param_spec_string (name, name, blurb_of (object, "unset"), g_strdup (text_of (object, "default")), flags);
  /* The description holds its own reference, besides that of the class. */
  g_param_spec_ref_sink (parameter->spec);
}

static void
read_look (JsonObject *object, BackdropLook *look)
{
  JsonArray *parameters = json_object_get_array_member (object, "parameters");
  look->name = g_strdup (text_of (object, "id"));
  look->views = (gint) json_object_get_int_member_with_default (object, "widthFactor", 1);
  look->parameters = g_ptr_array_new ();
  for (guint i = 0; i < json_array_get_length (parameters); i++)
    g_ptr_array_add (look->parameters, g_strdup (text_of (json_array_get_object_element (parameters, i), "name")));
}

BackdropDescription *
backdrop_description_new (const gchar *prefix)
{
  BackdropDescription *result = g_new0 (BackdropDescription, 1);
  JsonParser *parser = json_parser_new ();
  char *json = NULL;
  GError *error = NULL;
  if (bd_describe (&json) != BD_OK) {
    g_warning ("libbackdrop cannot describe itself: %s", bd_error_message ());
  } else if (!json_parser_load_from_data (parser, json, -1, &error)) {
    g_warning ("what libbackdrop describes cannot be read: %s", error->message);
    g_error_free (error);
  } else {
    JsonObject *root = json_node_get_object (json_parser_get_root (parser));
    JsonArray *parameters = json_object_get_array_member (root, "session"), *looks = json_object_get_array_member (root, "looks");
    result->look_count = json_array_get_length (looks);
    result->looks = g_new0 (BackdropLook, result->look_count);
    for (guint i = 0; i < result->look_count; i++)
      read_look (json_array_get_object_element (looks, i), &result->looks[i]);
    result->parameter_count = json_array_get_length (parameters);
    result->parameters = g_new0 (BackdropParameter, result->parameter_count);
    for (guint i = 0; i < result->parameter_count; i++) {
      BackdropParameter *parameter = &result->parameters[i];
      read_parameter (json_array_get_object_element (parameters, i), prefix, parameter);
      for (guint k = 0; k < result->look_count; k++)
        parameter->is_shared |= backdrop_look_has (&result->looks[k], parameter->name);
    }
  }
  bd_free (json);
  g_object_unref (parser);
  return result;
}

const BackdropLook *
backdrop_description_look (const BackdropDescription *description, const gchar *name)
{
  for (guint i = 0; name && i < description->look_count; i++)
    if (strcmp (description->looks[i].name, name) == 0)
      return &description->looks[i];
  return NULL;
}

gboolean
backdrop_look_has (const BackdropLook *look, const gchar *name)
{
  return g_ptr_array_find_with_equal_func (look->parameters, name, g_str_equal, NULL);
}

gchar *
backdrop_parameter_text (const BackdropParameter *parameter, const GValue *value)
{
  if (g_param_value_defaults (parameter->spec, value))
    return NULL;
  if (G_VALUE_HOLDS_DOUBLE (value)) {
    gchar digits[G_ASCII_DTOSTR_BUF_SIZE];
    return g_strdup (g_ascii_dtostr (digits, sizeof digits, g_value_get_double (value)));
  }
  if (G_VALUE_HOLDS_BOOLEAN (value))
    return g_strdup (g_value_get_boolean (value) ? "on" : "off");
  if (G_VALUE_HOLDS_ENUM (value))
    return g_strdup (g_enum_get_value (G_PARAM_SPEC_ENUM (parameter->spec)->enum_class, g_value_get_enum (value))->value_nick);
  const gchar *text = g_value_get_string (value);
  return text && *text ? g_strdup (text) : NULL;
}
