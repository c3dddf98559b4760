"""clinic.py -- a small Django application on PostgreSQL, with five races.

    python3 clinic.py migrate|reset|test [--fixed]

'migrate' makes the tables, 'reset' empties them and adds the first rows, and
'test' sends one request after the other, as a suite of tests does.  Without
--fixed, five endpoints have a race that no such suite can show:

    withdraw   reads a balance, and saves it changed          lost update
    leave      a doctor leaves if another one is on call      write skew
    book       books a room if no booking overlaps            double booking
    redeem     uses a coupon that has uses left               coupon reuse
    enrol      adds a student if the course has a free place  phantom by count

The database comes from the variables that libpq reads (PGHOST, PGPORT,
PGDATABASE, PGUSER).  Each statement names its endpoint in a comment, as
sqlcommenter does."""

import os
import sys
from contextlib import ExitStack

import django
from django.conf import settings

FIXED = "--fixed" in sys.argv
settings.configure(
    DEBUG=False,
    SECRET_KEY="not secret",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    MIDDLEWARE=[__name__ + ".name_endpoint"],
    DATABASES={"default": {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": os.environ.get("PGHOST", "127.0.0.1"),
        "PORT": os.environ.get("PGPORT", "5432"),
        "NAME": os.environ.get("PGDATABASE", "clinic"),
        "USER": os.environ.get("PGUSER", "app")}})
django.setup()

from django.db import connection, models, transaction  # noqa: E402
from django.http import JsonResponse  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import path  # noqa: E402


class Table(models.Model):
    class Meta:
        abstract = True
        app_label = "clinic"


class Account(Table):
    owner = models.TextField()
    balance = models.IntegerField()


class Doctor(Table):
    name = models.TextField()
    on_call = models.BooleanField()


class Room(Table):
    name = models.TextField()


class Booking(Table):
    room_id = models.IntegerField()
    begin = models.IntegerField()
    end = models.IntegerField()


class Coupon(Table):
    code = models.TextField()
    uses = models.IntegerField()


class Discount(Table):
    code = models.TextField()
    customer = models.TextField()


class Course(Table):
    name = models.TextField()
    places = models.IntegerField()


class Student(Table):
    course_id = models.IntegerField()
    name = models.TextField()


TABLES = [Account, Doctor, Room, Booking, Coupon, Discount, Course, Student]


def name_endpoint(answer):
    """Add the endpoint to each statement of a request."""
    def request_with_name(request):
        def run(execute, sql, *others):
            return execute(f"{sql} /*route='{request.path[1:]}'*/", *others)
        with connection.execute_wrapper(run):
            return answer(request)
    return request_with_name


def endpoint(view):
    """A view in one transaction; its result is whether it did something."""
    def in_transaction(request):
        with transaction.atomic():
            return JsonResponse({"done": view(request.GET)})
    return path(view.__name__, in_transaction)


def locked(rows):
    return rows.select_for_update() if FIXED else rows


def withdraw(given):
    account = locked(Account.objects).get(pk=given["account"])
    amount = int(given["amount"])
    if account.balance < amount:
        return False
    account.balance -= amount
    account.save()
    return True


def leave(given):
    if FIXED:
        list(Doctor.objects.select_for_update().order_by("id"))
    if Doctor.objects.filter(on_call=True).count() < 2:
        return False
    doctor = Doctor.objects.get(pk=given["doctor"])
    doctor.on_call = False
    doctor.save()
    return True


def book(given):
    room = locked(Room.objects).get(pk=given["room"])
    begin, end = int(given["begin"]), int(given["end"])
    if Booking.objects.filter(room_id=room.pk, begin__lt=end,
                              end__gt=begin).exists():
        return False
    Booking.objects.create(room_id=room.pk, begin=begin, end=end)
    return True


def cancel(given):
    Booking.objects.filter(begin=given["begin"]).delete()
    return True


def redeem(given):
    coupon = locked(Coupon.objects).get(code=given["code"])
    if coupon.uses == 0:
        return False
    coupon.uses -= 1
    coupon.save()
    Discount.objects.create(code=coupon.code, customer=given["customer"])
    return True


def enrol(given):
    course = locked(Course.objects).get(pk=given["course"])
    if Student.objects.filter(course_id=course.pk).count() >= course.places:
        return False
    Student.objects.create(course_id=course.pk, name=given["name"])
    return True


def overview(given):
    return [account.balance for account in Account.objects.all()]


urlpatterns = [endpoint(view) for view in
               [withdraw, leave, book, cancel, redeem, enrol, overview]]


def migrate():
    with connection.schema_editor() as editor:
        for table in TABLES:
            editor.create_model(table)


def reset():
    with connection.cursor() as cursor:
        cursor.execute("truncate " + ", ".join(
            t._meta.db_table for t in TABLES) + " restart identity")
    for owner in ["ann", "bob"]:
        Account.objects.create(owner=owner, balance=100)
    for name in ["eve", "dan", "kim"]:
        Doctor.objects.create(name=name, on_call=True)
    Room.objects.create(name="green")
    Coupon.objects.create(code="spring", uses=2)
    Course.objects.create(name="first aid", places=2)


REQUESTS = [
    ("withdraw?account=1&amount=30", True),
    ("withdraw?account=1&amount=50", True),
    ("withdraw?account=1&amount=70", False),
    ("overview", [20, 100]),
    ("leave?doctor=1", True),
    ("leave?doctor=2", True),
    ("leave?doctor=3", False),
    ("book?room=1&begin=9&end=11", True),
    ("book?room=1&begin=10&end=12", False),
    ("cancel?begin=9", True),
    ("book?room=1&begin=10&end=12", True),
    ("redeem?code=spring&customer=ann", True),
    ("redeem?code=spring&customer=bob", True),
    ("redeem?code=spring&customer=eve", False),
    ("enrol?course=1&name=ann", True),
    ("enrol?course=1&name=bob", True),
    ("enrol?course=1&name=eve", False),
]


def test():
    client = Client()
    for request, expected in REQUESTS:
        done = client.get("/" + request).json()["done"]
        if sorted(done) != sorted(expected) if isinstance(
                done, list) else done != expected:
            sys.exit(f"{request}: {done}, expected {expected}")


if __name__ == "__main__":
    with ExitStack() as stack:
        stack.callback(connection.close)
        {"migrate": migrate, "reset": reset, "test": test}[sys.argv[1]]()
